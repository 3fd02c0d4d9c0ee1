import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { originOf, startProgram } from './example.js';

const secret = 'whsec-examples';
const children: ChildProcess[] = [];

function run(file: string) {
  const started = startProgram(file, { WEBHOOK_SECRET: secret });
  children.push(started.child);
  return started;
}

/** Starts an example that listens; gives its URL and the lines it prints. */
async function start(file: string) {
  const started = run(file);
  return { ...started, url: `${await originOf(started)}/webhooks` };
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
});

it('examples/express/server.ts exits on SIGTERM', { timeout: 30_000 }, async () => {
  const { child, url } = await start('express/server.ts');
  expect((await createTestDelivery([sampleEventEmitted()], { secret }).send(url)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('examples/fetch/bare.ts says that all is well, and exits 0', { timeout: 30_000 }, async () => {
  const { child, lines } = run('fetch/bare.ts');
  const closed = once(child, 'close');
  const printed: string[] = [];
  for await (const line of lines) printed.push(line);
  expect(printed.join('\n')).toContain('genuine 200 forged 403');
  expect((await closed)[0]).toBe(0);
});
