import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { signDelivery } from '../../src/signature/sign-delivery.js';
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';

const secret = 'whsec-examples';
const children: ChildProcess[] = [];

function run(file: string): ChildProcess {
  const args = ['--import', 'tsx', `examples/${file}`];
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0', TSX_TSCONFIG_PATH: 'examples/tsconfig.json' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

/** Starts an example that listens; gives its URL and the lines it prints. */
async function start(file: string) {
  const child = run(file);
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const port = /port: (\d+)/.exec(String(value))?.[1];
  return { child, url: `http://127.0.0.1:${port}/webhooks`, lines };
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe.each(['express/server.ts', 'fetch/hono.ts', 'standalone/server.ts'])('examples/%s', (file) => {
  it('takes genuine deliveries of both kinds and refuses a forged one', { timeout: 30_000 }, async () => {
    const { url, lines } = await start(file);
    const transfer = createTestDelivery([sampleEventEmitted()], { secret });
    const forged = createTestDelivery([sampleEventEmitted()], { secret: 'guessed' });
    expect((await forged.send(url)).status).toBe(403);
    expect((await transfer.send(url)).status).toBe(200);
    expect((await lines.next()).value).toMatch(/Transfer|event\.emitted|verified 1/);
    expect((await createTestDelivery([sampleTransactionIncluded()], { secret }).send(url)).status).toBe(200);
    expect((await lines.next()).value).toMatch(/transaction|verified 1/);
    expect((await fetch(url, { method: 'POST', body: transfer.rawBody })).status).toBe(403);
  });

  it('survives a sender that goes away half way, and a signed body that is no JSON', { timeout: 30_000 }, async () => {
    const { url } = await start(file);
    const { port, hostname } = new URL(url);
    const transfer = createTestDelivery([sampleEventEmitted()], { secret });
    const socket = connect(Number(port), hostname);
    const headers = Object.entries({ Host: hostname, ...transfer.headers, 'Content-Length': transfer.rawBody.length });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const part = `POST /webhooks HTTP/1.1\r\n${head}\r\n${transfer.rawBody.slice(0, 100)}`;
    await new Promise<void>((resolve) => socket.write(part, () => resolve()));
    socket.resetAndDestroy();
    const { rawBody: body, headers: signature } = signDelivery('no JSON', { secret });
    expect((await fetch(url, { method: 'POST', body, headers: signature })).status).toBe(400);
    expect((await transfer.send(url)).status).toBe(200);
  });
});

describe('examples/express/server.ts', () => {
  it('exits by itself on SIGTERM', { timeout: 30_000 }, async () => {
    const { child, url } = await start('express/server.ts');
    expect((await createTestDelivery([sampleEventEmitted()], { secret }).send(url)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('examples/fetch/bare.ts', () => {
  it('says that all is well, and exits 0', { timeout: 30_000 }, async () => {
    const child = run('fetch/bare.ts');
    const printed: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => printed.push(chunk));
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(Buffer.concat(printed).toString()).toContain('genuine 200 forged 403');
  });
});
