import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unique } from '../../contracts/store-helpers.js';
import { event, signed } from '../../helpers.js';
import { hasRedis, startRedis } from '../../servers/redis.js';
import { connectIoRedis } from './clients.js';
import { startRestServer } from './rest-server.js';

// Installed apart, and loaded when the tests run.
const miniflare = fileURLToPath(
  new URL('../../../examples/serverless/node_modules/miniflare/dist/src/index.js', import.meta.url),
);
const canRun = hasRedis && existsSync(miniflare);
const needs = canRun ? '' : ' (skipped: needs redis-server, and `npm ci --prefix examples/serverless`)';

/** The Worker and the built package in one file, as wrangler makes it. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('upstash-worker.mjs', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    tsconfigRaw: '{}',
  });
  return outputFiles[0]?.text ?? '';
}

describe.skipIf(!canRun)(`Workers that share an Upstash database${needs}`, () => {
  it('handle each event once, whichever isolate gets which repeat', async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const rest = await startRestServer(server.port);
    onTestFinished(() => rest.stop());
    const client = await connectIoRedis(server.url);

    const { Miniflare } = await import(pathToFileURL(miniflare).href);
    const script = await bundled();
    const isolates = [0, 1].map(() => {
      const worker = new Miniflare({
        modules: true,
        script,
        compatibilityDate: '2026-04-01',
        bindings: { UPSTASH_URL: rest.url, UPSTASH_TOKEN: rest.token },
      });
      onTestFinished(() => worker.dispose());
      return worker;
    });

    const ids = Array.from({ length: 20 }, unique);
    const { rawBody, signature, timestamp } = signed(ids.map((id) => event(id)));
    const headers = { 'X-Service-Signature': signature, 'X-Service-Timestamp': timestamp };
    const deliver = async (isolate: (typeof isolates)[0]): Promise<number> => {
      const init = { method: 'POST', headers, body: String(rawBody) };
      return (await isolate.dispatchFetch('http://localhost/webhooks', init)).status;
    };
    // An event that the other isolate is handling is 503, and redelivered.
    for (const status of await Promise.all([...isolates, ...isolates].map(deliver)))
      expect([200, 503]).toContain(status);
    for (const isolate of isolates) expect(await deliver(isolate)).toBe(200);
    for (const id of ids) expect(await client.get(`effects:${id}`)).toBe('1');

    const forged = { method: 'POST', headers, body: `${rawBody} ` };
    expect((await isolates[0].dispatchFetch('http://localhost/webhooks', forged)).status).toBe(403);
  }, 60_000);
});
