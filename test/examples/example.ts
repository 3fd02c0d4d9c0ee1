import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Runs a command on an example, without the servers of whoever runs the tests. */
export function runExample(name: string) {
  const { DATABASE_URL, REDIS_URL, ...env } = process.env;
  return promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/run.ts', name], {
    env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Starts a program of the examples as a process. `lines` is what it prints. */
export function startProgram(file: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${file}`, ...args], {
    env: { ...process.env, PORT: '0', TSX_TSCONFIG_PATH: 'examples/tsconfig.json', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
}

/** Resolves to the origin of a program that prints its port. */
export async function originOf({ lines }: ReturnType<typeof startProgram>): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    const [, port] = /"?\bport"?: ?(\d+)/.exec(String(value)) ?? [];
    if (port) return `http://127.0.0.1:${port}`;
    if (done) throw new Error('It ended before it listened.');
  }
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
