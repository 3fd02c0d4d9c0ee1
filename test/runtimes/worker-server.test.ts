import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { framed, genuine, headersOf, type SignedDelivery } from '../matrix/deliveries.js';
import { bundle, createGround, type Ground } from './ground.js';
import { installed, needsRuntimes } from './installed.js';

const present = installed('miniflare') !== undefined;

describe.skipIf(!present)(`a Worker on workerd's own server${present ? '' : needsRuntimes}`, () => {
  let ground: Ground;
  let server: ChildProcess;
  let url: URL;

  beforeAll(async () => {
    ground = await createGround();
    const { path } = await bundle(ground, 'worker-app.mjs', ['workerd', 'worker', 'browser'], 'esm');
    const runner = fileURLToPath(new URL('./runners/worker-server.mjs', import.meta.url));
    server = spawn(process.execPath, [runner, path], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await once(server.stdout as NodeJS.ReadableStream, 'data');
    url = new URL(String(line).trim());
  }, 60_000);

  afterAll(async () => {
    server?.stdin?.end();
    await ground?.remove();
  });

  async function post(path: string, delivery: SignedDelivery): Promise<number> {
    const headers = Object.fromEntries(headersOf(delivery));
    const request = { method: 'POST', body: new Uint8Array(delivery.body), headers };
    return (await fetch(new URL(path, url), request)).status;
  }

  const seen = async () => (await (await fetch(new URL('/seen', url))).json()) as string[];

  /** Sends a delivery, and resets the connection once its handler runs. */
  async function sendAndReset(delivery: SignedDelivery, id: string) {
    const socket = connect(Number(url.port), '127.0.0.1');
    socket.write(framed(delivery));
    await expect.poll(seen).toContain(`begun ${id}`);
    socket.resetAndDestroy();
  }

  it('finishes what it has begun when the sender has gone, and takes the next deliveries', async () => {
    const events = [sampleEventEmitted(), sampleEventEmitted()];
    const deliveries = events.map((event) => genuine(event));
    for (const [at, { id }] of events.entries()) await sendAndReset(deliveries[at] as SignedDelivery, id);
    await fetch(new URL('/release', url));
    for (const { id } of events) await expect.poll(seen).toContain(`ended ${id}`);
    for (const delivery of deliveries) expect(await post('/webhooks', delivery)).toBe(200);
    expect(await seen()).toHaveLength(4);
  });

  async function late(query: string) {
    const event = sampleEventEmitted();
    return { status: await post(`/late${query}`, genuine(event)), id: event.id };
  }

  it('finishes a handler that outlives its answer, and then has its place again', async () => {
    for (let delivery = 0; delivery < 2; delivery++) {
      const { status, id } = await late('');
      expect(status).toBe(500);
      expect((await late('')).status).toBe(503);
      await expect.poll(seen).toContain(`late ${id}`);
    }
  });

  it('has the place of a handler that Workers ended with its answer again after 30 s', async () => {
    const { status, id } = await late('?alone');
    expect(status).toBe(500);
    expect((await late('?alone')).status).toBe(503);
    await fetch(new URL('/pass', url));
    const next = await late('');
    expect(next.status).toBe(500);
    await expect.poll(seen).toContain(`late ${next.id}`);
    expect(await seen()).not.toContain(`late ${id}`);
  });

  it('gives a handler no more than the 30 s that Cloudflare grants', async () => {
    expect(await post('/measure', genuine())).toBe(200);
    const ms = Number((await seen()).at(-1));
    expect(ms).toBeGreaterThan(25_000);
    expect(ms).toBeLessThanOrEqual(29_500);
  });
});
