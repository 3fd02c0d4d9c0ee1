import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the directory that holds the bundled thread of src/confined/explainer.ts. */
    explainDirectory: string;
  }
}

/** Bundles what src/confined/explainer.ts starts, once for all tests. */
export async function setup({ provide }: TestProject) {
  const directory = await mkdtemp(join(tmpdir(), 'explain-'));
  await build({
    entryPoints: ['devtools/src/confined/explain-thread.ts'],
    outdir: directory,
    bundle: true,
    format: 'esm',
    target: 'node20',
    platform: 'node',
    // A file of this package, which is not there before it is built.
    alias: { '#runtime': './src/runtime/node.ts' },
    logLevel: 'error',
  });
  provide('explainDirectory', `${pathToFileURL(directory)}/`);
  return () => rm(directory, { recursive: true });
}
