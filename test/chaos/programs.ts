import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Packages that load native code or other files, which no bundle contains. */
const APART = ['libsql', 'pg-native', 'bullmq', 'pg-boss'];

/** Child processes as plain JavaScript with their clients in it, which starts in a fraction of the time. */
export async function buildPrograms(
  folder: URL,
  ...names: readonly string[]
): Promise<{ readonly directory: string; remove(): Promise<void> }> {
  // Within the project, so that its packages are found from there.
  const directory = join(root, 'node_modules', '.cache', `programs-${process.pid}-${Date.now()}`);
  await mkdir(directory, { recursive: true });
  await build({
    entryPoints: names.map((name) => fileURLToPath(new URL(`${name}.ts`, folder))),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: APART,
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);
        // As later versions of Node have it. pg takes a Response to tell Node from Cloudflare otherwise, which loads fetch.
        globalThis.navigator ??= { userAgent: 'Node.js' };`,
    },
    alias: { '#runtime': join(root, 'src/runtime/node.ts') },
  });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}
