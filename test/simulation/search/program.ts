import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Bundles what a thread runs: the worlds of a module that exports `worlds`, the models and the kernel. Packages are
 * loaded from this project.
 */
export async function buildProgram(worldsPath = here('../worlds/index.ts')): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { worlds } from ${JSON.stringify(worldsPath)};
        import { smallWorlds } from '../small/index.js';
        import { serve } from './worker.js';
        serve(worlds, smallWorlds);`,
      resolveDir: here('.'),
      sourcefile: 'thread.ts',
    },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: `node${process.versions.node}`,
    packages: 'external',
    // The text of a thread has no place in the file system.
    banner: { js: `((require) => {` },
    footer: { js: `})(require('node:module').createRequire(${JSON.stringify(import.meta.url)}));` },
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
