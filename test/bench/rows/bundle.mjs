import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
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
async function bundledSize(folder, contents, external) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    tsconfigRaw: '{}',
    external,
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

export const benchmarks = [
  {
    name: 'bundle',
    run: () =>
      withConsumer(async (folder) => {
        const rows = [];
        for (const [name, contents, against, max] of ROWS) {
          const size = await bundledSize(folder, contents, against === BACKEND ? ['#hmac'] : []);
          const figures = { median: size, p25: size, p75: size, rounds: 1 };
          rows.push({ name: `bundle ${name}`, against, measure: 'kB gzipped', target: { max }, ...figures });
        }
        return rows;
      }),
  },
];
