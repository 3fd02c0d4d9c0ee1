import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { entryPoints, PACKAGES } from './scripts/exports.mjs';
import { sharedEntries, sharedFiles } from './scripts/shared-files.js';

const { imports } = JSON.parse(readFileSync('package.json', 'utf8'));
const subpaths = entryPoints(PACKAGES.receiver);

/** What `#runtime` means on each runtime (package.json, "imports"). */
const runtimes = {
  'runtime-node': 'src/runtime/node.ts',
  'runtime-bun': 'src/runtime/bun.ts',
  'runtime-edge': 'src/runtime/edge.ts',
};

export default defineConfig({
  entry: { ...subpaths, ...runtimes },
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  outDir: 'dist',
  clean: true,
  splitting: false,
  treeshake: true,
  removeNodeProtocol: false,
  external: [...Object.keys(imports), /^node:/],
  esbuildOptions: (options) => {
    // tsup takes only files as entries.
    options.entryPoints = { ...(options.entryPoints as Record<string, string>), ...sharedEntries };
  },
  esbuildPlugins: [sharedFiles],
  plugins: [
    {
      name: 'require-late',
      renderChunk(code) {
        if (this.format !== 'cjs') return;
        // Jest runs CommonJS without import().
        return { code: code.replace(/\bimport\(("#\w+")\)/g, 'Promise.resolve().then(() => require($1))') };
      },
    },
  ],
  dts: { entry: subpaths, compilerOptions: { ignoreDeprecations: '6.0' } },
});
