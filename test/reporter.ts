import type { Reporter, TestCase, TestModule } from 'vitest/node';

const titleOf = (test: TestCase) =>
  `${test.module.relativeModuleId}: ${test.parent.type === 'suite' ? test.parent.fullName : test.name}`;

/** Names at the end what was skipped, where the title of each suite says why, and what passed at its second try only. */
export const reporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
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
