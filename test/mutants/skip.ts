import { beforeEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Matches the titles of tests that the room leaves out. */
    readonly skip: string;
  }
}

const skipped = new RegExp(inject('skip'));

/** The title of a test, after those of its describes. */
function titleOf({ name, suite }: { name: string; suite?: Parameters<typeof titleOf>[0] | undefined }): string {
  return suite ? `${titleOf(suite)} ${name}` : name;
}

beforeEach(({ task, skip }) => skip(skipped.test(titleOf(task))));
