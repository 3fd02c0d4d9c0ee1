import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { entriesOf, PACKAGES } from '../../scripts/exports.mjs';
import { instrument } from './instrument.js';

/** A target with its subject, as the text of a thread. */
export interface Bundle {
  /** Of the target's file. */
  readonly name: string;
  readonly program: string;
  readonly edges: number;
  readonly literals: readonly string[];
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const root = here('../../').replace(/[^\w/-]/g, '\\$&');
/** The code of both packages. */
const SUBJECT = new RegExp(`^${root}(devtools/)?src/.*\\.ts$`);

const aliases = Object.fromEntries(
  Object.values(PACKAGES)
    .flatMap((url) => entriesOf(url).map(({ specifier, source }) => [specifier, fileURLToPath(new URL(source, url))]))
    // The first that fits is taken: the root of a package fits its subpaths too.
    .sort(([one = ''], [other = '']) => other.length - one.length),
);

/** Bundles a target file with the loop that runs it, with counters in the files whose paths match `subject`. */
export async function bundle(target: string, subject = SUBJECT): Promise<Bundle> {
  let edges = 0;
  const literals = new Set<string>();
  const counters: Plugin = {
    name: 'counters',
    setup({ onLoad }) {
      onLoad({ filter: subject }, ({ path }) => {
        const counted = instrument(readFileSync(path, 'utf8'), edges);
        edges += counted.edges;
        for (const each of counted.literals) literals.add(each);
        return { contents: counted.text, loader: 'ts' };
      });
    },
  };
  const { outputFiles } = await build({
    stdin: {
      contents: `import { target } from ${JSON.stringify(target)};\nimport { serve } from './worker.ts';\nserve(target);\n`,
      resolveDir: here('.'),
    },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    banner: { js: 'const __edges = (globalThis.__edges = new Uint32Array(1 << 16));' },
    // Too large to bundle.
    external: ['express', 'fastify'],
    alias: { '#runtime': here('../../src/runtime/node.ts'), ...aliases },
    plugins: [counters],
    logLevel: 'error',
  });
  return { name: basename(target, '.ts'), program: outputFiles[0]?.text ?? '', edges, literals: [...literals] };
}
