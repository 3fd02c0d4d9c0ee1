import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Runs a command on an example, without the servers of whoever runs the tests. */
export function runExample(name: string) {
  const { DATABASE_URL, REDIS_URL, ...env } = process.env;
  return promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/run.ts', name], {
    env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
  });
}

/** Examples that say themselves whether every event took effect once. `needs`: why one is skipped, if it is. */
export function describeExamples(examples: readonly (readonly [name: string, needs: string])[]): void {
  for (const [name, needs] of examples) {
    describe.skipIf(needs !== '')(`examples/${name}${needs}`, () => {
      it('has every event take effect once, over repeats and killed processes', { timeout: 120_000 }, async () => {
        expect((await runExample(name)).stdout).toContain('Every event took effect exactly once.');
      });
    });
  }
}

/** Compiles the project of an example. */
export function describeProject(name: string, needs: string, title: string): void {
  describe.skipIf(needs !== '')(`examples/${name}${needs}`, () => {
    it(title, { timeout: 120_000 }, async () => {
      const args = ['node_modules/typescript7/bin/tsc', '--pretty', 'false', '-p', `examples/${name}`];
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
      expect(stdout).toBe('');
    });
  });
}
