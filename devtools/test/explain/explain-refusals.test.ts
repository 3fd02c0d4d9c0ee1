import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createReceiver, multibaasHeaders, WebhookError } from 'event-webhook-receiver';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { explainFailure } from '../../src/explain/explain-failure.js';
import { type ExplainRefusalsOptions, refusalExplainer } from '../../src/explain/explain-refusals.js';
import type { ExplainFailureOptions } from '../../src/explain/options.js';

const secret = 'whsec-mine';
const body = JSON.stringify([sampleEventEmitted()]);
const here = async () => ({ explain: async (options: ExplainFailureOptions) => explainFailure(options) });

/** What a receiver logs of a request, whose option `onError` explains refusals. */
function receiving(
  options: Partial<ExplainRefusalsOptions> = {},
  start: Parameters<typeof refusalExplainer>[1] = here,
  ofReceiver: Pick<ExplainRefusalsOptions, 'headers' | 'toleranceSeconds'> = options,
) {
  const lines: string[] = [];
  const logger = { warn: (_fields: object, text: string) => lines.push(text) };
  const onError = refusalExplainer({ secret, logger, ...options }, start);
  const { headers, toleranceSeconds } = ofReceiver;
  const receiver = createReceiver({ secret, headers, toleranceSeconds, onEvent: () => {}, onError });
  const send = (headers: Record<string, string>, rawBody: string | Uint8Array = body, method = 'POST') => {
    const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    return receiver.handleRequest({
      method,
      header: (name) => lower.get(name),
      rawBody: () => async () => Buffer.from(rawBody),
    });
  };
  return { lines, send, logged: (count = 1) => vi.waitFor(() => expect(lines).toHaveLength(count), 30_000) };
}
const headersOf = (text = body, key = secret, names = serviceHeaders) =>
  signDelivery(text, { secret: key, headers: names }).headers;

describe('explainRefusals', () => {
  it.each([
    [
      'a body that lost its line break',
      headersOf(`${body}\n`),
      {},
      /ERR_WEBHOOK_SIGNATURE: .*\n {2}- .* \(certain\)\n {4}Fix: /,
    ],
    [
      'headers of MultiBaas',
      headersOf(body, secret, multibaasHeaders),
      {},
      /ERR_WEBHOOK_HEADER: .*\n {2}- The signature came as X-MultiBaas-….*\n {4}Fix: Set `headers: multibaasHeaders`/,
    ],
    [
      'a stale timestamp',
      signDelivery(body, { secret, timestamp: 1000 }).headers,
      {},
      /ERR_WEBHOOK_TIMESTAMP: .*\n {2}- The delivery is .* old/,
    ],
    [
      'names with underscores',
      Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.replaceAll('-', '_'), value])),
      {},
      /ERR_WEBHOOK_HEADER: .*\n {2}- .* the request has x_service_signature and x_service_timestamp/,
    ],
    ['no header', { via: '1.1 proxy' }, {}, /ERR_WEBHOOK_HEADER: .*\n {2}- .* are missing.* proxy \(via\)/],
    ['another webhook', headersOf(body, 'whsec-orders'), { otherSecrets: { orders: 'whsec-orders' } }, /orders/],
    [
      'a forgery, where any timestamp is taken',
      { ...headersOf(), ...signDelivery('[]', { secret, timestamp: 1000 }).headers },
      { toleranceSeconds: false as const },
      /SIGNATURE/,
    ],
  ])('logs why, and the fix: %s', async (_, headers, options, text) => {
    const { lines, send, logged } = receiving(options);
    expect((await send(headers)).status).toBe(403);
    await logged();
    expect(lines[0]).toMatch(text);
    expect(lines[0]).not.toMatch(/whsec|body-empty/);
  });

  it('finds nothing to say of a body that was not read', async () => {
    const { lines, send, logged } = receiving();
    await send({});
    await logged();
    expect(lines[0]?.match(/Fix:/g)).toHaveLength(1);
  });

  it.each([
    ['a function', () => secret],
    [
      'a function of the request',
      ({ header }: { header(name: string): string | undefined }) => ({
        secret: header('via') === 'x' ? secret : 'other',
        source: 'a',
      }),
    ],
    ['several', ['other', secret]],
  ])('takes the secret as the receiver does: %s', async (_, given) => {
    const { lines, send, logged } = receiving({ secret: given });
    await send({ ...headersOf(`${body}\n`), via: 'x' });
    await logged();
    expect(lines[0]).toContain('(certain)');
  });

  it('says that the options differ where they find nothing', async () => {
    const { headers } = signDelivery(body, { secret, timestamp: Math.floor(Date.now() / 1000) - 60 });
    const logged = async (ofReceiver: Parameters<typeof receiving>[2]) => {
      const { lines, send, logged } = receiving({}, here, ofReceiver);
      await send(headers);
      await logged();
      return lines[0];
    };
    const strict = await logged({ toleranceSeconds: 5 });
    expect(strict).toMatch(/TIMESTAMP: .*\n.* is authentic and fresh.*\n.*Fix: Pass the `headers`/);
    const named = await logged({ headers: { signature: 'x-mine', timestamp: 'x-time' } });
    expect(named).toMatch(/HEADER: .*\n.*nothing is wrong with the headers.*\n.*Fix: Pass the/);
  });

  it('passes every error on, and explains refusals alone', async () => {
    const told: string[] = [];
    const chained = receiving({ onError: ({ code }) => told.push(code) });
    await chained.send({}, body, 'GET');
    await chained.send(headersOf('[]'));
    await chained.logged();
    expect(told).toEqual(['ERR_WEBHOOK_METHOD', 'ERR_WEBHOOK_SIGNATURE']);
    expect(chained.lines).toHaveLength(1);
    expect(chained.lines[0]).toContain('ERR_WEBHOOK_SIGNATURE');
  });

  it('explains ten at a time of a thousand, and counts the others', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const explain = vi.fn(async () => {
      await gate;
      return [];
    });
    const { lines, send, logged } = receiving({}, async () => ({ explain }));
    await Promise.all(Array.from({ length: 1000 }, () => send(headersOf('[]'))));
    release();
    await logged(10);
    expect(explain).toHaveBeenCalledTimes(10);
    expect(lines[0]).toContain('Not explained, because too many came at once: 990.');
    expect(lines[1]).not.toContain('Not explained');
    await send(headersOf('[]'));
    await logged(11);
  });

  it('says that it could not explain', async () => {
    const { lines, send, logged } = receiving({}, async () => Promise.reject(new Error('none')));
    await send(headersOf('[]'));
    await logged();
    expect(lines[0]).toMatch(/It was not explained: .*\n {4}Fix: Start the app in the folder/);
  });

  it('copies the body before the host reuses its buffer', async () => {
    const bytes = Buffer.from(`${body}\n`);
    const explained: unknown[] = [];
    const onError = refusalExplainer({ secret }, async () => ({
      explain: async ({ rawBody }) => {
        explained.push(Buffer.from(rawBody as Uint8Array).toString());
        return [];
      },
    }));
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const request = () => ({ rawBody: bytes, signature: '', timestamp: '', header: () => undefined });
    onError(new WebhookError('ERR_WEBHOOK_SIGNATURE', 'Mine.'), { request });
    onError(new WebhookError('ERR_WEBHOOK_SIGNATURE', 'Mine.'), { request: () => ({ ...request(), rawBody: 'text' }) });
    bytes.fill(0);
    await vi.waitFor(() => expect(explained).toEqual([`${body}\n`, 'text']));
  });
});

describe('what the app passes', () => {
  const refused = new WebhookError('ERR_WEBHOOK_SIGNATURE', 'Signature mismatch.');
  const request = () => ({ header: () => undefined, rawBody: body, signature: 'a', timestamp: '1', url: undefined });

  it('may be a secret function that never answers: each refusal is logged', async () => {
    const lines: string[] = [];
    const logger = { warn: (_: object, text: string) => lines.push(text) };
    const onError = refusalExplainer({ secret: () => new Promise(() => {}), logger }, here, 20);
    for (let count = 0; count < 12; count++) onError(refused, { request });
    await vi.waitFor(() => expect(lines).toHaveLength(10));
    expect(lines.join()).toMatch(/the secret is not available here.*too many came at once: 2\./s);
    onError(refused, { request });
    await vi.waitFor(() => expect(lines).toHaveLength(11));
  });

  it.each([
    ['throws', () => expect.fail()],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('may be a logger that %s: the app continues', async (_, fails) => {
    const warn = vi.fn(fails);
    const onError = refusalExplainer({ secret, logger: { warn } }, here);
    onError(refused, { request });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1));
    // Vitest fails on a rejection that nobody handles.
    await new Promise(setImmediate);
  });
});

describe('a program that ends', () => {
  const program = (end: string) => `
    const { createReceiver } = require('event-webhook-receiver');
    const { explainRefusals } = require('event-webhooks/explain');
    const secret = 'whsec-mine';
    const wait = setTimeout(() => {}, 50_000);
    const logger = { warn: (_, text) => { console.log(text); clearTimeout(wait); } };
    const receiver = createReceiver({ secret, onEvent: () => {}, onError: explainRefusals({ secret, logger }) });
    const [signature, timestamp] = ['a'.repeat(64), String(Math.floor(Date.now() / 1000))];
    receiver.handle({ rawBody: '[1]', signature, timestamp }).then(() => { ${end} });`;
  const run = (end: string) => promisify(execFile)(process.execPath, ['-e', program(end)]);

  it('is not kept by the process that has explained, in CommonJS too', { timeout: 60_000 }, async () => {
    const { stdout } = await run('');
    expect(stdout).toContain('altered on the way');
  });

  it('does not wait for an explanation', { timeout: 60_000 }, async () => {
    expect(await run('clearTimeout(wait)')).toEqual({ stdout: '', stderr: '' });
  });
});
