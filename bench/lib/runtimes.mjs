import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { RUNTIMES } from '../../scripts/budgets.mjs';

const folder = new URL('../../test/runtimes/', import.meta.url);

/** A path in what `npm run test:tier runtimes` has installed, when it is there. */
function installed(path) {
  const file = new URL(`node_modules/${path}`, folder);
  return existsSync(file) ? fileURLToPath(file) : undefined;
}

function missing(name) {
  return installed(name) ? undefined : `${name} is not installed; npm run test:tier runtimes fetches it`;
}

const processes = [
  ['Node 22', 'node22', 'node22/bin/node', []],
  ['Node 24', 'node24', 'node24/bin/node', []],
  ['Bun', 'bun', '.bin/bun', []],
  ['Deno', 'deno', '.bin/deno', ['run', '--no-check', '--quiet', '--allow-all', '--no-lock']],
];

/** The runtimes that run a file in a process of their own, beside the Node that runs this. */
export const runtimes = processes.map(([name, pack, path, args]) => ({
  name,
  command: installed(path),
  args,
  skipped: missing(pack),
}));

const require = createRequire(new URL('package.json', folder));

/** A Worker that runs others. */
const LOADER = `
export default {
  fetch(request, { loader, scripts }) {
    const { searchParams } = new URL(request.url);
    const modules = { 'main.js': scripts[searchParams.get('name')] };
    const load = () => ({ compatibilityDate: '2026-04-01', mainModule: 'main.js', modules });
    return loader.get(searchParams.get('id'), load).getEntrypoint().fetch(request);
  },
};`;

/** A runtime without modules of its own: what its bundles are made with, and how one is started. */
export const hosts = [
  {
    name: 'workerd',
    format: 'esm',
    serve: (handler) => `export default { fetch: (request) => ${handler}(request) };`,
    skipped: missing('miniflare'),
    /** Gives what asks the Worker, and what ends it. */
    async start(script) {
      const { Miniflare } = require('miniflare');
      const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-04-01', port: 0 });
      await miniflare.ready;
      return { ask: (...request) => miniflare.dispatchFetch(...request), stop: () => miniflare.dispose() };
    },
    /** Gives what asks a new isolate, of the same process, that runs the script of a name. */
    async startAnew(scripts) {
      const { Miniflare } = require('miniflare');
      const options = { compatibilityDate: '2026-04-01', port: 0, workerLoaders: { loader: {} } };
      const miniflare = new Miniflare({ modules: true, script: LOADER, bindings: { scripts }, ...options });
      await miniflare.ready;
      let count = 0;
      return {
        askNew: (name, url, request) => miniflare.dispatchFetch(`${url}?id=${count++}&name=${name}`, request),
        stop: () => miniflare.dispose(),
      };
    },
  },
  {
    name: 'edge-light',
    format: 'iife',
    serve: (handler) => `addEventListener('fetch', (event) => event.respondWith(${handler}(event.request)));`,
    skipped: missing('edge-runtime'),
    async start(script) {
      const { EdgeRuntime } = require('edge-runtime');
      const runtime = new EdgeRuntime({ initialCode: script });
      return { ask: (...request) => runtime.dispatchFetch(...request), stop() {} };
    },
    async startAnew(scripts) {
      const { EdgeRuntime } = require('edge-runtime');
      let count = 0;
      return {
        // A text that V8 has seen is not compiled again.
        askNew: (name, ...request) =>
          new EdgeRuntime({ initialCode: `${scripts[name]}\n//${count++}` }).dispatchFetch(...request),
        stop() {},
      };
    },
  },
];

/** A script for a host that answers with `handler`, which the given module text declares, bundled as its tools do. */
export async function bundleFor({ name, format, serve }, contents, resolveDir) {
  const { platform, conditions } = RUNTIMES[name];
  const { outputFiles } = await build({
    stdin: { contents: `${contents}\n${serve('handler')}`, resolveDir },
    bundle: true,
    write: false,
    minify: true,
    format,
    platform,
    conditions,
    tsconfigRaw: '{}',
    logLevel: 'error',
  });
  return outputFiles[0].text;
}
