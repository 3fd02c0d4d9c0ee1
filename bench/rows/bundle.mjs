import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { withConsumer } from '../lib/consumer.mjs';

/** What is bundled, and the most that it may be; `scripts/budgets.mjs` holds every subpath and runtime to its own. */
const ROWS = [
  ['root: everything', "export * from 'event-webhook-receiver';", 14],
  ['./verify: everything', "export * from 'event-webhook-receiver/verify';", 1.4],
];

/** Kilobytes of a module's bundle for Node, minified and gzipped. */
async function bundledSize(resolveDir, contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'node',
    tsconfigRaw: '{}',
    external: ['node:*'],
    logLevel: 'error',
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / 1000;
}

export const benchmarks = ROWS.map(([name, contents, max]) => ({
  name: `bundle ${name}`,
  run: () =>
    withConsumer(async (folder) => {
      const size = await bundledSize(folder, contents);
      const figures = { median: size, p25: size, p75: size, rounds: 1 };
      return [{ name: `bundle ${name}`, against: 'node', measure: 'kB gzipped', target: { max }, ...figures }];
    }),
}));
