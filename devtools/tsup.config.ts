import { copyFile, cp, readdir } from 'node:fs/promises';
import { defineConfig } from 'tsup';
import { entryPoints, PACKAGES } from '../scripts/exports.mjs';
import { COPIED } from './src/init/parts.js';

const subpaths = entryPoints(PACKAGES.devtools);

/** Programs: the command, and the thread that explains apart from where deliveries arrive. */
const programs = {
  'cli/main': 'src/cli/main.ts',
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
    // The page has its own build below.
    clean: ['!cli/browser/**'],
    onSuccess: async () => {
      for (const path of COPIED) await cp(`../${path}`, `dist/cli/templates/${path}`, { recursive: true });
    },
    esbuildOptions: (options) => {
      // Beside the programs, which find the page and one another by their own URLs.
      options.chunkNames = 'cli/[name]-[hash]';
    },
    dts,
  },
  {
    ...common,
    entry: subpaths,
    format: 'cjs',
    esbuildOptions: (options) => {
      options.supported = { 'dynamic-import': false }; // Jest runs CommonJS without import().
    },
    dts,
  },
  {
    ...common,
    // Starts it in an app: `event-webhooks/explain` requires it.
    entry: { 'cli/explainer': 'src/confined/explainer.ts' },
    format: 'cjs',
    esbuildOptions: (options) => {
      options.define = { 'import.meta.url': 'MODULE_URL' };
    },
    banner: { js: "const MODULE_URL = require('node:url').pathToFileURL(__filename).href;" },
  },
  {
    // The page: one module with Preact in it, beside its HTML and styles.
    entry: { main: 'src/page/browser/main.tsx' },
    outDir: 'dist/cli/browser',
    tsconfig: 'src/page/browser/tsconfig.json',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    noExternal: [/./],
    minify: true,
    clean: true,
    onSuccess: async () => {
      const files = (await readdir('src/page/browser')).filter((name) => /\.(html|css|svg)$/.test(name));
      await Promise.all(files.map((name) => copyFile(`src/page/browser/${name}`, `dist/cli/browser/${name}`)));
    },
  },
]);
