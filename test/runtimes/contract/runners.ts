import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { projectRoot } from '../../package/consumer.js';
import { binaryOf, installed } from '../installed.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** A test runner that users have. */
export interface TestRunner {
  readonly title: string;
  /** The module that exports its `describe` and `test`. */
  readonly module: string;
  readonly format: 'esm' | 'cjs';
  /** The program, or undefined if it is not installed. */
  readonly program: string | undefined;
  readonly args: (file: string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const jest = (title: string, format: 'esm' | 'cjs', options: string): TestRunner => ({
  title,
  module: '@jest/globals',
  format,
  program: installed('.bin/jest'),
  args: (file) => ['--verbose', '--rootDir', '.', '--testMatch', `**/${file}`],
  env: { NODE_OPTIONS: options },
});

const nodeTest = (title: string, program: string | undefined): TestRunner => ({
  title,
  module: 'node:test',
  format: 'esm',
  program,
  args: (file) => ['--test', '--test-reporter=tap', file],
});

/** A test file, which differs between test runners in the module that it imports only. */
const textOf = ({ module }: TestRunner, suite: string) =>
  `import { describe, test } from '${module}'; import { ${suite} } from './suite.js'; ${suite}({ describe, test });`;

export const testRunners: readonly TestRunner[] = [
  nodeTest('node:test', process.execPath),
  nodeTest('node:test of Node 24', binaryOf('node24')),
  {
    title: 'Vitest',
    module: 'vitest',
    format: 'esm',
    program: process.execPath,
    args: (file) => [
      join(projectRoot, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--root=.',
      '--reporter=verbose',
      file,
    ],
  },
  jest('Jest with require', 'cjs', ''),
  jest('Jest with import', 'esm', '--experimental-vm-modules'),
  {
    title: 'bun test',
    module: 'bun:test',
    format: 'esm',
    program: binaryOf('bun'),
    args: (file) => ['test', `./${file}`],
  },
  {
    title: 'deno test',
    module: 'node:test',
    format: 'esm',
    program: binaryOf('deno'),
    args: (file) => ['test', '--allow-all', '--no-lock', '--no-check', file],
  },
];

export interface Report {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs one suite of suite.ts against the package that is installed in `root`. */
export async function runSuite(runner: TestRunner, suite: string, root: string): Promise<Report> {
  const file = `${suite}.${testRunners.indexOf(runner)}.test.${runner.format === 'esm' ? 'mjs' : 'cjs'}`;
  await build({
    stdin: { contents: textOf(runner, suite), resolveDir: here },
    outfile: join(root, file),
    format: runner.format,
    platform: 'node',
    target: 'es2023',
    bundle: true,
    packages: 'external',
    external: ['bun:test'],
    logLevel: 'silent',
  });
  const env = {
    ...process.env,
    VITEST: '',
    CI: '',
    NODE_OPTIONS: '',
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
    ...runner.env,
  };
  return new Promise((resolve) => {
    const options = { cwd: root, env, timeout: 120_000, maxBuffer: 2 ** 24 };
    const child = execFile(runner.program ?? '', runner.args(file), options, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode, output: `${stdout}\n${stderr}` });
    });
  });
}
