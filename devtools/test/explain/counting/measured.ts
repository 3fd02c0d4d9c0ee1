import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Frame } from './units.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const src = fileURLToPath(new URL('../../../../src/', import.meta.url));

/** A unit to repeat, and what is around it. */
export type Text = readonly [unit: string, frame: Frame];

/** The steps of explainFailure in a process that counts what they do. */
export interface Measured {
  readonly steps: readonly string[];
  readonly quadratic: readonly string[];
  /** What a step does for all of these texts together, of units repeated so often that each has about that size. */
  work(step: string, texts: readonly Text[], size: number): Promise<number>;
  /** The functions of src/explain, of those files that undo things, that no step has called yet. */
  notCalled(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const NO_HASHES = ['hmac', 'legacy', 'sha2'].map((name) => [`@noble/hashes/${name}.js`, file('./no-hash.ts')] as const);

/** Builds a module of this folder, without what hashes. */
export async function bundled(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, entry.replace(/\.ts$/, '.mjs'));
  await build({
    entryPoints: [file(`./${entry}`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    alias: { '#runtime': join(src, 'runtime/node.ts'), ...Object.fromEntries(NO_HASHES) },
    outfile,
  });
  return outfile;
}

/** A folder for what is built, and its end. */
export async function temporary(): Promise<readonly [folder: string, remove: () => Promise<void>]> {
  const folder = await mkdtemp(join(tmpdir(), 'explain-'));
  return [folder, () => rm(folder, { recursive: true })];
}

/** Sends a message to a process and waits for its answer, one after the other. */
function asking(child: ChildProcess): (message: object) => Promise<Record<string, unknown>> {
  let settle: { resolve(answer: Record<string, unknown>): void; reject(error: Error): void } | undefined;
  child.on('message', (message) => settle?.resolve(message as Record<string, unknown>));
  child.on('exit', () => settle?.reject(new Error('The process that counts has ended.')));
  return (message) =>
    new Promise((resolve, reject) => {
      settle = { resolve, reject };
      child.send(message);
    });
}

export async function startMeasured(): Promise<Measured> {
  const [folder, remove] = await temporary();
  const path = await bundled('steps.ts', folder);
  const text = await readFile(path, 'utf8');
  const child = fork(file('./count.mjs'), [path], { execArgv: [] });
  const ask = asking(child);
  const { steps, quadratic } = await ask({});
  /** The file that a function comes from: esbuild names it above the code. */
  const sourceOf = (offset: number) => /.*\n\/\/ (\S+)\n/s.exec(text.slice(0, offset))?.[1] ?? '';
  return {
    steps: steps as string[],
    quadratic: quadratic as string[],
    async work(step, texts, size) {
      return (await ask({ step, texts, size })).work as number;
    },
    async notCalled() {
      const { notCalled } = await ask({});
      return (notCalled as [number, string][])
        .map(([offset, name]) => `${name} of ${sourceOf(offset)}`)
        .filter((each) => /src\/explain\/(?:b|inspect|options|secret|signature|text|timestamp)/.test(each));
    },
    async close() {
      child.kill();
      await remove();
    },
  };
}
