import { cp } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { entryPoints, PACKAGES } from '../scripts/exports.mjs';

const subpaths = entryPoints(PACKAGES.devtools);

/** Programs: the command, the process and thread that explain apart from where deliveries arrive, and what starts them in an app. */
const programs = {
  'cli/main': 'src/cli/main.ts',
  'cli/explainer': 'src/confined/explainer.ts',
  'cli/explain-process': 'src/confined/explain-process.ts',
  'cli/explain-thread': 'src/confined/explain-thread.ts',
};

const common = {
  target: 'node20',
  platform: 'node',
  outDir: 'dist',
  removeNodeProtocol: false,
  // The receiver is a dependency. With the paths of the repository it would be taken from its source, and inlined.
  tsconfig: 'tsconfig.build.json',
} as const;

const dts = { entry: subpaths, compilerOptions: { ignoreDeprecations: '6.0' } };

export default defineConfig([
  {
    ...common,
    entry: { ...subpaths, ...programs },
    format: 'esm',
    splitting: true,
    clean: true,
    esbuildOptions: (options) => {
      // Beside the programs, which find the page and one another by their own URLs.
      options.chunkNames = 'cli/[name]-[hash]';
    },
    onSuccess: () =>
      cp('src/page/browser', 'dist/cli/browser', {
        recursive: true,
        filter: (path) => !path.endsWith('tsconfig.json'),
      }),
    dts,
  },
  { ...common, entry: subpaths, format: 'cjs', dts },
]);
