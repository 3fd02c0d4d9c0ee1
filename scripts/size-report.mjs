// Bundles every subpath of the built package as a user's bundler would, for Node and for runtimes without it. Prints
// the sizes against their budgets and fails on a size over its budget and on a string that has no place in a bundle.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const OPTIONAL = ['express', 'fastify', 'viem', 'ioredis', 'redis', 'bullmq', 'pg-boss', 'pg', 'postgres', 'libsql'];
const FOREIGN = [...OPTIONAL, 'zod'];
const EDGE_CONDITIONS = ['workerd', 'worker', 'browser'];
const NODE_ONLY = [/\bnode:/, /\bBuffer\b/, /\bprocess\./];

/**
 * Budgets in bytes, minified and gzipped; `true` is no budget, no `edge` means that it does not run there. `foreign`:
 * packages whose names must not occur; `mentions`: those of them that messages may name, so only an import counts.
 */
const SUBPATHS = {
  '.': { node: 8000, edge: 11_000, foreign: FOREIGN },
  './verify': { node: true, edge: true, foreign: FOREIGN },
  './schemas': { node: 30_000, foreign: OPTIONAL },
  './express': { node: 8500, foreign: FOREIGN, mentions: ['express', 'pg'] },
  './fastify': { node: 8900, foreign: FOREIGN, mentions: ['fastify', 'pg'] },
  './fetch': { node: 8000, edge: 11_000, foreign: FOREIGN },
  './lambda': { node: 8500, foreign: FOREIGN },
  './node': { node: 8500, foreign: FOREIGN },
  './stores/redis': { node: 2500, foreign: FOREIGN, mentions: ['ioredis', 'redis'] },
  './stores/postgres': { node: 5500, foreign: FOREIGN, mentions: ['pg', 'postgres'] },
  './stores/sqlite': { node: 2500, foreign: FOREIGN, mentions: ['libsql'] },
  './queues/bullmq': { node: 6000, foreign: FOREIGN, mentions: ['bullmq'] },
  './queues/pg-boss': { node: 6500, foreign: FOREIGN, mentions: ['pg-boss'] },
  './evm': { node: 14_000, edge: 14_000, foreign: FOREIGN, mentions: ['viem', 'pg'] },
  './testing': { node: 2600, edge: 5800, foreign: FOREIGN },
};

/** A foreign package stays an import, so that its name can be seen; all else is inlined. */
async function bundle(contents, { edge = false, foreign, external = [] }) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: edge ? 'neutral' : 'node',
    conditions: edge ? EDGE_CONDITIONS : [],
    external: [...foreign, 'node:*', ...external],
    // The repository's own tsconfig.json maps names to src.
    tsconfigRaw: '{}',
    // esbuild says in each bundle that it leaves out bare imports between the chunks of dist, as it should.
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

const rows = [];
const violations = [];

/** Looks for what must not be in a bundle, and returns the bundle. */
async function inspect(title, contents, { mentions = ['pg'], ...options }) {
  const text = await bundle(contents, options);
  const names = options.foreign.map((name) =>
    mentions.includes(name) ? new RegExp(`["'\`]${name}["'\`/]`) : new RegExp(`(?<![\\w-])${name}(?![\\w-])`),
  );
  for (const pattern of options.edge ? [...names, ...NODE_ONLY] : names) {
    const { index } = pattern.exec(text) ?? {};
    if (index === undefined) continue;
    violations.push(`${title} must not contain ${pattern}: …${text.slice(Math.max(0, index - 40), index + 40)}…`);
  }
  return text;
}

async function measure(title, contents, { budget, ...options }) {
  const text = await inspect(title, contents, options);
  const gzipped = gzipSync(text, { level: 9 }).length;
  rows.push({ bundle: title, minified: text.length, gzipped, budget: budget ?? '-' });
  if (gzipped > budget) violations.push(`${title} has ${gzipped} bytes gzipped, and ${budget} are allowed`);
}

for (const [subpath, targets] of Object.entries(manifest.exports)) {
  if (typeof targets === 'string') continue;
  const limits = SUBPATHS[subpath];
  if (limits === undefined) {
    violations.push(`${subpath} has no row in scripts/size-report.mjs`);
    continue;
  }
  const { foreign, mentions } = limits;
  for (const runtime of ['node', 'edge'].filter((each) => limits[each])) {
    const options = { foreign, mentions, edge: runtime === 'edge' };
    const budget = limits[runtime] === true ? undefined : limits[runtime];
    await measure(`${subpath} (${runtime})`, `export * from '${targets.import.default}'`, { ...options, budget });
    await inspect(`${subpath} (${runtime}, CommonJS)`, `export * from '${targets.require.default}'`, options);
  }
}

const verify = `export { verifySignature } from '${manifest.exports['./verify'].import.default}'`;
const hmac = manifest.imports['#hmac'].default.import;
await measure('verifySignature alone, #hmac apart', verify, { foreign: FOREIGN, external: ['#hmac'], budget: 500 });
await measure('verifySignature with #hmac (node)', verify, { foreign: FOREIGN });
await measure('verifySignature with #hmac (edge)', verify, { foreign: FOREIGN, edge: true });
await measure('#hmac (edge)', `export * from '${hmac}'`, { foreign: FOREIGN, edge: true });

console.table(rows);
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
