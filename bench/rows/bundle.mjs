import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { budgetOf, RUNTIMES } from '../../scripts/budgets.mjs';
import { withConsumer } from '../lib/consumer.mjs';

const EVERYTHING = "export * from 'event-webhook-receiver";
const BACKEND = 'without its crypto';

const ROWS = [
  ['./verify: verifySignature', "export { verifySignature } from 'event-webhook-receiver/verify';", BACKEND, 0.5],
  ['./verify: verifySignature', "export { verifySignature } from 'event-webhook-receiver/verify';", 'node', 0.5],
  ['./verify: everything', `${EVERYTHING}/verify';`, BACKEND, 0.5],
  ['./verify: everything', `${EVERYTHING}/verify';`, 'node', 0.5],
  ['root: everything', `${EVERYTHING}';`, 'node', 8],
  ['./evm: everything', `${EVERYTHING}/evm';`, 'node', 14],
];

/** Kilobytes of a module's bundle for Node, minified and gzipped. */
async function bundledSize(folder, contents, { external = [], runtime = 'node' } = {}) {
  const { platform, conditions } = RUNTIMES[runtime];
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform,
    conditions,
    tsconfigRaw: '{}',
    external: ['node:*', ...external],
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

function rowOf(name, against, size, max) {
  const figures = { median: size, p25: size, p75: size, rounds: 1 };
  return { name: `bundle ${name}`, against, measure: 'kB gzipped', target: { max }, ...figures };
}

export const benchmarks = [
  {
    name: 'bundle',
    run: () =>
      withConsumer(async (folder) => {
        const rows = [];
        for (const [name, contents, against, max] of ROWS) {
          const size = await bundledSize(folder, contents, { external: against === BACKEND ? ['#runtime'] : [] });
          rows.push(rowOf(name, against, size, max));
        }
        for (const subpath of ['.', './verify', './fetch']) {
          for (const runtime of Object.keys(RUNTIMES)) {
            const size = await bundledSize(folder, `${EVERYTHING}${subpath.slice(1)}';`, { runtime });
            const name = `${subpath === '.' ? 'root' : subpath}: everything`;
            const budget = budgetOf(subpath, runtime) / 1000;
            // Node's are above, held against its own targets.
            if (!ROWS.some((row) => row[0] === name && row[2] === runtime))
              rows.push(rowOf(name, runtime, size, budget));
          }
        }
        return rows;
      }),
  },
];
