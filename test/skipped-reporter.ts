import type { Reporter, TestModule } from 'vitest/node';

/** Names at the end what was skipped: the title of each suite says why. */
export const skippedReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(
        (test) => `${module.relativeModuleId}: ${test.parent.type === 'suite' ? test.parent.fullName : test.name}`,
      ),
    );
    for (const title of new Set(skipped)) console.log(`skipped: ${title}`);
  },
};
