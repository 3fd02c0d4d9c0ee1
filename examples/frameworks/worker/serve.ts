// What `wrangler dev` does: bundles the Worker, and runs it in workerd with its secret and its database as bindings.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { migrate, startWorkerd, withDatabase } from './d1.js';

const bundle = await build({
  entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
});

const { PORT = '3000', WEBHOOK_SECRET = '', LEASE_MS = '60000' } = process.env;
const folder = process.env.D1_FOLDER ?? (await mkdtemp(join(tmpdir(), 'd1-')));
await withDatabase(folder, migrate);
await startWorkerd(folder, {
  script: bundle.outputFiles[0]?.text,
  bindings: { WEBHOOK_SECRET, LEASE_MS: Number(LEASE_MS) },
  host: '127.0.0.1',
  port: Number(PORT),
}).ready;
console.log('listening on', PORT);
