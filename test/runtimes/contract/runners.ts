import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { projectRoot } from '../../package/consumer.js';
import { bundle } from '../ground.js';
import { binaryOf, installed } from '../installed.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** A test runner that users have. */
export interface TestRunner {
  readonly title: string;
  /** The module that exports its `describe` and `test`. Absent in a runtime without a test runner. */
  readonly module?: string;
  readonly format: 'esm' | 'cjs';
  /** How to bundle the suite with the package, for a runtime without modules. */
  readonly bundle?: { readonly conditions: readonly string[]; readonly format: 'esm' | 'iife' };
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

const worker = (title: string, needs: string, bundle: NonNullable<TestRunner['bundle']>): TestRunner => ({
  title,
  format: 'esm',
  bundle,
  program: installed(needs) && process.execPath,
  args: (file) => [join(here, `../runners/${title}.mjs`), file, '/dev/null'],
});

/** The text of a test file. For all test runners it is the same, except for the module it imports. */
function textOf({ module, bundle }: TestRunner, suite: string): string {
  const suites = `import { ${suite} } from './suite.js';`;
  if (module) return `import { describe, test } from '${module}'; ${suites} ${suite}({ describe, test });`;
  const answer = `async () => {
    const cases = [];
    ${suite}({ describe: (_title, body) => body(), test: (name, run) => cases.push({ name, run }) });
    const lines = [];
    for (const { name, run } of cases)
      lines.push(await run().then(() => name, (error) => 'FAILED ' + name + '\\n' + error.message));
    return new Response(lines.join('\\n'));
  }`;
  if (bundle?.format === 'esm') return `${suites} export default { fetch: ${answer} };`;
  return `${suites} addEventListener('fetch', (event) => event.respondWith((${answer})()));`;
}

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
  worker('workerd', 'miniflare', { conditions: ['workerd', 'worker', 'browser'], format: 'esm' }),
  worker('edge-runtime', 'edge-runtime', { conditions: ['edge-light', 'worker', 'browser'], format: 'iife' }),
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
  const { conditions, format } = runner.bundle ?? {};
  const program = conditions && format ? (await bundle({ root }, file, conditions, format)).path : file;
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
    const child = execFile(runner.program ?? '', runner.args(program), options, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode, output: `${stdout}\n${stderr}` });
    });
  });
}
