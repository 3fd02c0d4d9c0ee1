// The files of dist that several subpaths share, and the plugin of the build that leaves them out of each subpath.
import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const src = fileURLToPath(new URL('../src/', import.meta.url));

interface SharedFile {
  /** The name in `imports` of package.json that stands for the file. */
  readonly name: string;
  readonly output: string;
  /** The entry, which lists the modules that others may import. */
  readonly source: string;
  /** Every module that is bundled into the file, relative to src. */
  readonly members: RegExp;
}

export const SHARED: readonly SharedFile[] = [
  { name: '#ky', output: 'ky', source: 'src/internal/ky.ts', members: /^internal\/ky\.ts$/ },
  {
    name: '#core',
    output: 'core',
    source: 'src/core.ts',
    members: /^(errors|core|stores\/(store|memory)|(signature|events|receiver|internal)\/.+)\.ts$/,
  },
  {
    name: '#http',
    output: 'adapters/http',
    source: 'src/adapters/http.ts',
    members: /^adapters\/(http|collect|node-http|respond|status)\.ts$/,
  },
  {
    name: '#decoding',
    output: 'evm/decoding',
    source: 'src/evm/decoding.ts',
    members: /^evm\/(?!index\.ts$).+\.ts$/,
  },
];

const pathOf = (file: string) => relative(src, file).replaceAll('\\', '/');
const sharedOf = (path: string) => SHARED.find(({ members }) => members.test(path));

/** The modules that may be imported from a shared file: itself and those that it lists, relative to src. */
function importable({ source }: SharedFile): string[] {
  const file = resolve(src, '..', source);
  const specifiers = readFileSync(file, 'utf8').matchAll(/^export \* from '(.+)\.js';$/gm);
  return [pathOf(file), ...[...specifiers].map(([, name = '']) => `${pathOf(resolve(dirname(file), name))}.ts`)];
}

/** Replaces an import of a member by one of the shared file, unless the importer is a member too. */
export const sharedFiles: Plugin = {
  name: 'shared-files',
  setup: (build) => {
    build.onResolve({ filter: /^\.\.?\// }, ({ importer, path, resolveDir }) => {
      if (!importer.startsWith(src)) return;
      const module = pathOf(resolve(resolveDir, path)).replace(/\.js$/, '.ts');
      const shared = sharedOf(module);
      if (shared === undefined || shared === sharedOf(pathOf(importer))) return;
      if (importable(shared).includes(module)) return { path: shared.name, external: true };
      return { errors: [{ text: `${shared.source} must export * from ${module}, which ${pathOf(importer)} imports` }] };
    });
  },
};
