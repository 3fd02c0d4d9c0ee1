import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, type Ground } from './ground.js';
import { binaryOf, installed } from './installed.js';
import type { Traits } from './suite/lab.js';
import type { Result } from './suite/suite.js';

/** What came of the suite in one runtime. */
export interface Outcome {
  readonly results: readonly Result[];
  /** The file that '#runtime' means there. */
  readonly file: string;
  /** What the runtime printed beside results. */
  readonly noise: string;
  /** All that a runtime without modules of its own was given. */
  readonly bundled?: string;
}

export interface Runtime {
  readonly title: string;
  readonly present: boolean;
  readonly traits: Traits;
  /** It has no modules of its own, so its tools make one file of everything. */
  readonly bundled: boolean;
  /** The HMAC that is right there. */
  readonly file: string;
  run(ground: Ground, input: string): Promise<Outcome>;
}

const MINUTES = 5;

/** Runs a program to its end, however it ends. */
function execute(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', DENO_NO_PROMPT: '1' };
  const options = { cwd, env, maxBuffer: 2 ** 26, timeout: MINUTES * 60_000 };
  return new Promise((resolve) => {
    execFile(command, [...args], options, (error, stdout, stderr) => {
      resolve([stdout, stderr, error === null ? '' : error.message].join('\n'));
    });
  });
}

/** Results, and what else was printed. */
function parse(printed: string): { results: Result[]; noise: string } {
  const results: Result[] = [];
  const noise: string[] = [];
  for (const line of printed.split('\n')) {
    try {
      const value = JSON.parse(line) as Result;
      if (typeof value.name !== 'string') throw new Error('no result');
      results.push(value);
    } catch {
      noise.push(line);
    }
  }
  return { results, noise: noise.join('\n').trim().slice(-4000) };
}

const last = (printed: string) => basename(printed.trim().split('\n')[0] ?? '');

/** A runtime that finds modules itself, once by import and once by require. */
function resolving(
  title: string,
  command: string | undefined,
  { args = [], file = 'runtime-node' }: { readonly args?: readonly string[]; readonly file?: string } = {},
): Runtime[] {
  const traits = { bare: false, webCrypto: false, realms: true, sharedMemory: true };
  return (['import', 'require'] as const).map((how) => ({
    title: `${title}, ${how}`,
    present: command !== undefined,
    bundled: false,
    traits,
    file: `${file}${how === 'import' ? '.js' : '.cjs'}`,
    async run({ root, packageRoot }) {
      const inRuntime = (...program: string[]) => execute(command ?? '', [...args, ...program], root);
      const probe = join(packageRoot, how === 'import' ? 'probe.mjs' : 'probe.cjs');
      return { file: last(await inRuntime(probe)), ...parse(await inRuntime(join(root, 'module.mjs'), how)) };
    },
  }));
}

/** A runtime that is given one file, by a runner that Node runs. */
function bundled(options: {
  readonly title: string;
  readonly needs: string;
  readonly entry: string;
  readonly runner: string;
  readonly args?: readonly string[];
  readonly conditions: readonly string[];
  readonly format: 'esm' | 'iife';
  readonly traits: Runtime['traits'];
}): Runtime {
  const runner = fileURLToPath(new URL(`./runners/${options.runner}`, import.meta.url));
  return {
    title: options.title,
    present: installed(options.needs) !== undefined,
    bundled: true,
    traits: options.traits,
    file: 'runtime-edge.js',
    async run(ground, input) {
      const { path, text, files } = await bundle(ground, options.entry, options.conditions, options.format);
      const printed = await execute(process.execPath, [runner, path, input, ...(options.args ?? [])], dirname(runner));
      return { ...parse(printed), file: files.filter((file) => file.startsWith('runtime-')).join(' '), bundled: text };
    },
  };
}

const wrangler = { conditions: ['workerd', 'worker', 'browser'], format: 'esm' } as const;

/** The pinned version of something that is not installed, too. */
const { dependencies } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
};
const version = (name: string) => dependencies[name]?.replace(/^npm:.*@/, '');

/** Every runtime that the suite runs in. */
export const runtimes: readonly Runtime[] = [
  ...resolving(`Node ${process.versions.node}`, process.execPath),
  ...resolving(`Node ${version('node22')}`, binaryOf('node22')),
  ...resolving(`Node ${version('node24')}`, binaryOf('node24')),
  ...resolving(`Bun ${version('bun')}`, binaryOf('bun'), { file: 'runtime-bun' }),
  ...resolving(`Deno ${version('deno')}`, binaryOf('deno'), { args: ['run', '--allow-all', '--no-lock'] }),
  ...([[], ['nodejs_compat']] as const).map((args) =>
    bundled({
      title: `workerd (Miniflare ${version('miniflare')}) ${args.length === 0 ? 'without' : 'with'} nodejs_compat`,
      needs: 'miniflare',
      entry: 'worker.mjs',
      runner: 'workerd.mjs',
      args,
      ...wrangler,
      traits: { bare: args.length === 0, webCrypto: true, realms: false, sharedMemory: true },
    }),
  ),
  bundled({
    title: `Vercel edge runtime (edge-runtime ${version('edge-runtime')})`,
    needs: 'edge-runtime',
    entry: 'edge.mjs',
    runner: 'edge-runtime.mjs',
    conditions: ['edge-light', 'worker', 'browser'],
    format: 'iife',
    traits: { bare: true, webCrypto: true, realms: true, sharedMemory: true },
  }),
];
