import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { globals } from './globals.js';

/** What the worlds run: the modules of `src/`. */
export type Subject = typeof import('./subject.js');

/** A change of the text of a file of `src/`. */
export interface Patch {
  /** The file, from the root of the project. */
  readonly file: string;
  /** Must occur exactly once. */
  readonly find: string;
  readonly replace: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the real code, with patches of its text. Throws for a patch that cannot be applied. */
export async function bundleSubject(patches: readonly Patch[] = []): Promise<string> {
  const left = new Set(patches);
  const plugin: Plugin = {
    name: 'patches',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
        const file = relative(root, path).split(sep).join('/');
        let contents = await readFile(path, 'utf8');
        for (const patch of patches.filter((each) => each.file === file)) {
          contents = patched(contents, patch);
          left.delete(patch);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: [here('./subject.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    alias: { '#runtime': here('../../../src/runtime/node.ts') },
    plugins: [plugin],
    logLevel: 'silent',
  });
  const [unused] = left;
  if (unused) throw new Error(`A patch is of ${unused.file}, which the bundle does not contain.`);
  return outputFiles[0]?.text ?? '';
}

/** The text of a file with a patch. */
export function patched(contents: string, { file, find, replace }: Patch): string {
  const parts = contents.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(`A patch of ${file} must find its text once, and finds it ${parts.length - 1} times: ${find}`);
}

/** Evaluates a bundle. Its globals are those of the simulated process whose turn it is. */
export function evaluateSubject(bundle: string): Subject {
  const names = Object.keys(globals);
  const module = { exports: {} };
  const evaluate = new Function('module', 'exports', 'require', ...names, bundle);
  evaluate(module, module.exports, createRequire(import.meta.url), ...names.map((name) => globals[name]));
  return module.exports as Subject;
}
