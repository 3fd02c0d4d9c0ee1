// What `wrangler dev` does: bundles the Worker, and runs it in workerd with its secret as a binding.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const { Miniflare } = createRequire(new URL('../../../test/runtimes/package.json', import.meta.url))('miniflare');

const bundle = await build({
  entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
});

const port = Number(process.env.PORT ?? 3000);
const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.js', contents: bundle.outputFiles[0]?.text }],
  compatibilityDate: '2026-04-01',
  bindings: { WEBHOOK_SECRET: process.env.WEBHOOK_SECRET ?? '' },
  host: '127.0.0.1',
  port,
});
await miniflare.ready;
console.log('listening on', port);
