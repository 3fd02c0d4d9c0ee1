// Bundles every subpath of the built package as a user's bundler would, for every runtime that it runs in. Prints
// the sizes against their budgets and fails on a size over its budget and on a string that has no place in a bundle.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { budgetOf, RUNTIMES, SUBPATHS } from './budgets.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const FOREIGN = SUBPATHS['.'].foreign;
// Uses of Node's globals get names of their own in these bundles, so that texts may still speak of them.
const NODE_GLOBALS = { Buffer: 'NODE_BUFFER', process: 'NODE_PROCESS' };
const NODE_ONLY = [/["'`]node:/, ...Object.values(NODE_GLOBALS).map((name) => new RegExp(`\\b${name}\\b`))];

/** A foreign package stays an import, so that its name can be seen; all else is inlined. */
async function bundle(contents, { runtime, foreign, external = [] }) {
  const { platform, conditions } = RUNTIMES[runtime];
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform,
    conditions,
    external: [...foreign, 'node:*', ...external],
    define: RUNTIMES[runtime].withNode ? {} : NODE_GLOBALS,
    // The repository's own tsconfig.json maps names to src.
    tsconfigRaw: '{}',
    // esbuild says in each bundle that it leaves out bare imports between the chunks of dist, as it should.
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

const rows = {};
const violations = [];

/** Looks for what must not be in a bundle, and returns the bundle. */
async function inspect(title, contents, { mentions = ['pg'], ...options }) {
  const text = await bundle(contents, options);
  const names = options.foreign.map((name) =>
    mentions.includes(name)
      ? new RegExp(`(\\bfrom|\\bimport\\(?|require\\()\\s*["'\`]${name}["'\`/]`)
      : new RegExp(`(?<![\\w-])${name}(?![\\w-])`),
  );
  for (const pattern of RUNTIMES[options.runtime].withNode ? names : [...names, ...NODE_ONLY]) {
    const { index } = pattern.exec(text) ?? {};
    if (index === undefined) continue;
    violations.push(`${title} must not contain ${pattern}: …${text.slice(Math.max(0, index - 40), index + 40)}…`);
  }
  return text;
}

async function measure(title, contents, { budget, ...options }) {
  const text = await inspect(`${title} (${options.runtime})`, contents, options);
  const gzipped = gzipSync(text, { level: 9 }).length;
  rows[title] ??= {};
  rows[title][options.runtime] = budget === undefined ? `${gzipped}` : `${gzipped} of ${budget}`;
  if (gzipped <= (budget ?? gzipped)) return;
  violations.push(`${title} (${options.runtime}) has ${gzipped} bytes gzipped, and ${budget} are allowed`);
}

for (const [subpath, targets] of Object.entries(manifest.exports)) {
  if (typeof targets === 'string') continue;
  if (SUBPATHS[subpath] === undefined) {
    violations.push(`${subpath} has no row in scripts/budgets.mjs`);
    continue;
  }
  const { foreign, mentions, external } = SUBPATHS[subpath];
  for (const runtime of Object.keys(RUNTIMES)) {
    const budget = budgetOf(subpath, runtime);
    if (budget === undefined) continue;
    const options = { runtime, foreign, mentions, external };
    await measure(subpath, `export * from '${targets.import.default}'`, { ...options, budget });
    await inspect(`${subpath} (${runtime}, CommonJS)`, `export * from '${targets.require.default}'`, options);
  }
}

const verify = `export { verifySignature } from '${manifest.exports['./verify'].import.default}'`;
const runtime = manifest.imports['#runtime'].default.import;
const node = { runtime: 'node', foreign: FOREIGN };
const edge = { runtime: 'workerd', foreign: FOREIGN };
await measure('verifySignature, #runtime apart', verify, { ...node, external: ['#runtime'], budget: 500 });
for (const options of [node, edge]) await measure('verifySignature with #runtime', verify, options);
await measure('#runtime', `export * from '${runtime}'`, edge);

console.table(rows);
for (const violation of violations) console.error(violation);
process.exitCode = violations.length > 0 ? 1 : 0;
