import { copyFile, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createConsumer } from '../package/consumer.js';
import type { Traits } from './suite/lab.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export type Ground = Awaited<ReturnType<typeof createGround>>;

/** A project that has the packed tarball installed, and the suite beside it as one file. */
export async function createGround() {
  const consumer = await createConsumer();
  const file = (name: string) => join(consumer.root, name);
  // Once, for all runtimes: what differs between them is the runtime and what it loads of the package.
  const { metafile } = await build({
    entryPoints: [here('./suite/suite.ts')],
    outfile: file('suite.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    metafile: true,
    logLevel: 'silent',
  });
  const foreign = Object.keys(metafile.inputs).filter(
    (path) => !/^(.*\/)?test\/(runtimes\/suite|matrix\/cases)\//.test(path),
  );
  if (foreign.length > 0) throw new Error(`The suite brings code along that is not its own: ${foreign.join(', ')}`);
  for (const runner of ['module.mjs', 'front.mjs', 'worker.mjs', 'edge.mjs', 'worker-app.mjs']) {
    await copyFile(here(`./runners/${runner}`), file(runner));
  }
  // They stand inside the package, so that what they ask for is what the package's own files get.
  await consumer.write(
    'node_modules/event-webhook-receiver/probe.mjs',
    `console.log(import.meta.resolve('#runtime'));`,
  );
  await consumer.write('node_modules/event-webhook-receiver/probe.cjs', `console.log(require.resolve('#runtime'));`);
  return {
    ...consumer,
    /** Writes what the suite is told, and gives the file's path. */
    input: (traits: Traits) => consumer.write('input.json', JSON.stringify({ traits })),
  };
}

/** A runner and the package in one file, as the tools of a runtime without modules of its own make it. */
export async function bundle(
  ground: Pick<Ground, 'root'>,
  runner: string,
  conditions: readonly string[],
  format: 'esm' | 'iife',
) {
  const path = join(ground.root, `bundled.${runner}`);
  const { metafile } = await build({
    entryPoints: [join(ground.root, runner)],
    outfile: path,
    bundle: true,
    platform: 'browser',
    target: 'es2023',
    external: ['node:*', 'cloudflare:*'],
    metafile: true,
    logLevel: 'silent',
    conditions: [...conditions],
    format,
  });
  return {
    path,
    text: await readFile(path, 'utf8'),
    /** Names of the package's files that went in. */
    files: Object.keys(metafile.inputs).map((file) => basename(file)),
  };
}
