import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** For scripts/count-tests.mjs: the results as JSON do not contain them. */
const UNHANDLED = '.test-results.unhandled.txt';

const titleOf = (test: TestCase) =>
  `${test.module.relativeModuleId}: ${test.parent.type === 'suite' ? test.parent.fullName : test.name}`;

/**
 * Names at the end what was skipped, where the title of each suite says why, and what passed at its second try only. Keeps
 * the errors that belong to no test.
 */
export const reporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
    const errors = unhandled.map(
      ({ message, stack, VITEST_TEST_PATH, VITEST_TEST_NAME }) =>
        `in ${VITEST_TEST_PATH}, ${VITEST_TEST_NAME}: ${message}\n${stack ?? ''}`,
    );
    if (process.env.CI && errors.length > 0) writeFileSync(UNHANDLED, errors.join('\n'));
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')].map(titleOf));
    for (const title of new Set(skipped)) console.log(`skipped: ${title}`);
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests('passed')].filter((test) => test.diagnostic()?.flaky),
    );
    for (const test of flaky) {
      const [error] = test.result().errors ?? [];
      console.log(
        `passed at the second try: ${test.module.relativeModuleId}: ${test.fullName}\n${error?.message ?? ''}`,
      );
    }
  },
};
