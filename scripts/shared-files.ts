// The files of dist that several subpaths share, and the plugin of the build that makes them. A chunk for every set of
// subpaths that have a module in common would make an import read four times as many files.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { entriesOf, PACKAGES } from './exports.mjs';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/** The shared files by their names in `imports` of package.json, and the modules that each contains. */
const SHARED: Readonly<Record<string, RegExp>> = {
  '#ky': /^client\/ky\.ts$/,
  '#core': /^(errors|stores\/(store|memory)|(runtime|internal|signature|events|handle|receive|receiver)\/.+)\.ts$/,
  '#http': /^adapters\/(?!lambda).+\.ts$/,
  '#lease': /^stores\/[\w-]+\.ts$/,
  '#job': /^queues\/[\w-]+\.ts$/,
  '#decoding': /^evm\/.+\.ts$/,
};

/** What `entry` of the build takes: each shared file under the name that it has in dist. */
export const sharedEntries = Object.fromEntries(Object.keys(SHARED).map((name) => [name.slice(1), `shared:${name}`]));

const entries = entriesOf(PACKAGES.receiver).map(({ source }) => source.slice('src/'.length));
const isEntry = (module: string) => entries.includes(module);
const roomOf = (module: string) => Object.keys(SHARED).find((name) => SHARED[name]?.test(module));

/** The shared file that an importer gets a module from, if it does not contain the module itself. */
function sharedFor(module: string, importer: string): string | undefined {
  if (isEntry(module)) return undefined;
  const room = roomOf(module);
  // The entries of the core are complete by themselves, so that they load without the rest of it.
  const contains = room === roomOf(importer) && (room === '#core' || !isEntry(importer));
  return contains ? undefined : room;
}

const toModule = (file: string) => relative(src, file).replaceAll('\\', '/').replace(/\.js$/, '.ts');

/** Imports of values from a relative path. */
const IMPORT = /^(?:import|export) (?!type )[^;]*? from '(\.[^']+)';$|\bimport\('(\.[^']+)'\)/gm;

/** The modules that others take from each shared file. */
function findShared(): Map<string, Set<string>> {
  const found = new Map(Object.keys(SHARED).map((name) => [name, new Set<string>()]));
  for (const importer of readdirSync(src, { recursive: true, encoding: 'utf8' }).map((file) =>
    toModule(resolve(src, file)),
  )) {
    if (!importer.endsWith('.ts')) continue;
    const text = readFileSync(resolve(src, importer), 'utf8');
    for (const [, path = '', lazy = path] of text.matchAll(IMPORT)) {
      const module = toModule(resolve(src, dirname(importer), lazy));
      const shared = sharedFor(module, importer);
      if (shared !== undefined) found.get(shared)?.add(module);
    }
  }
  return found;
}

const DECLARED = /^export (?:async )?(?:function|const|let|class) (\w+)/gm;

/** Throws if two modules export the same name: `export *` would silently drop it from their shared file. */
function checkNames(file: string, modules: ReadonlySet<string>): void {
  const owners = new Map<string, string>();
  for (const module of modules) {
    for (const [, name = ''] of readFileSync(resolve(src, module), 'utf8').matchAll(DECLARED)) {
      const owner = owners.get(name) ?? module;
      if (owner !== module) throw new Error(`${file}: ${owner} and ${module} both export ${name}. Rename one.`);
      owners.set(name, module);
    }
  }
}

/** Makes the shared files, and replaces what others import of their modules by an import of the file. */
export const sharedFiles: Plugin = {
  name: 'shared-files',
  setup: (build) => {
    const modules = findShared();
    for (const [file, contents] of modules) checkNames(file, contents);
    build.onResolve({ filter: /^shared:/ }, ({ path }) => ({
      path: path.slice('shared:'.length),
      namespace: 'shared',
    }));
    build.onLoad({ filter: /.*/, namespace: 'shared' }, ({ path }) => ({
      contents: [...(modules.get(path) ?? [])].map((module) => `export * from './${module}';`).join('\n'),
      resolveDir: src,
    }));
    build.onResolve({ filter: /^\.\.?\// }, ({ importer, path, resolveDir, namespace }) => {
      if (namespace !== 'file' || !importer.startsWith(src)) return undefined;
      const shared = sharedFor(toModule(resolve(resolveDir, path)), toModule(importer));
      return shared === undefined ? undefined : { path: shared, external: true };
    });
  },
};
