import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Explainer } from '../../src/confined/explainer.js';
import type { DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import type { FeedOptions } from '../../src/deliveries/feed.js';
import { type RecordedDelivery, readLine, recordingLine } from '../../src/deliveries/recorded.js';
import { recordOf } from '../deliveries/records.js';
import { call, openPage } from './call.js';

const body = (text = JSON.stringify([sampleEventEmitted()])) => new TextEncoder().encode(text);
const delivery = (change: Partial<RecordedDelivery> = {}): RecordedDelivery => ({
  ...{ at: 1_700_000_000_000, method: 'POST', path: '/hooks', headers: [['X-Mine', '1']], body: body(), status: 200 },
  ...change,
});

async function open({ read, ...limits }: FeedOptions & { read?: Explainer['read'] } = {}) {
  const silent = { explain: async () => [], read: async () => undefined, view: async () => undefined };
  const explainer = read && ({ ...silent, read, first: silent, close() {} } as unknown as Explainer);
  const page = await openPage({ explainer }, limits);
  const headers = { ...page.headers, 'Content-Type': 'application/x-ndjson' };
  const upload = async (text: string | Uint8Array) => {
    const answer = await call(`${page.url}api/recordings`, { method: 'POST', headers, body: text });
    return { status: answer.status, ...JSON.parse(answer.text) };
  };
  const download = (wanted: object = {}) =>
    call(`${page.url}api/recording`, { method: 'POST', headers, body: JSON.stringify(wanted) });
  return { ...page, headers, upload, download };
}

describe('POST /api/recordings', () => {
  it('shows the deliveries of a recording, marked, and reads their bodies in another process', async () => {
    const { feed, upload } = await open();
    const lines = [delivery(), delivery({ status: 403, path: '/other' }), delivery({ status: undefined })];
    expect(await upload(`\n${lines.map(recordingLine).join('')}`)).toEqual({
      ...{ status: 200, added: 3, id: 'r3', skipped: 0, problems: [] },
    });
    expect(feed.list()).toMatchObject([
      {
        id: 'r1',
        target: '/hooks',
        recorded: true,
        verified: false,
        attempts: [{ at: 1_700_000_000_000, status: 200 }],
      },
      { id: 'r2', target: '/other', attempts: [{ status: 403 }] },
      { id: 'r3', attempts: [{ code: 'NO_RESPONSE', reason: 'The recording has no response.' }] },
    ]);
    await vi.waitFor(() => expect(feed.get('r3')?.contents.names).toEqual(['Transfer']), 10_000);
  });

  it('skips hostile lines with the reason, and adds the others', { timeout: 60_000 }, async () => {
    const { feed, upload } = await open();
    const hostile = [
      'x',
      '[]',
      '{"at":"never"}',
      `{"at":"2026-01-01T00:00:00Z","method":"POST","path":"/","headers":[["a"]],"bodyBase64":""}`,
      `{"__proto__":{"at":1},"constructor":1}`,
      `[${'[],'.repeat(60_000)}[]]`,
      `"${'x'.repeat(17 * 1024 * 1024)}"`,
    ];
    const answer = await upload(`${hostile.join('\n')}\n${recordingLine(delivery())}`);
    expect(answer).toEqual({
      ...{ status: 200, added: 1, id: 'r1', skipped: 7 },
      problems: [
        { line: 1, reason: 'it is not JSON' },
        { line: 2, reason: 'it is not a JSON object' },
        { line: 3, reason: '"at" is not a time' },
        { line: 4, reason: '"headers" must be an array of [name, value]' },
        { line: 5, reason: '"at" is not a time' },
      ],
    });
    const { problems } = await upload(`${hostile.slice(5).join('\n')}\n`);
    expect(problems.map(({ reason }: { reason: string }) => reason)).toEqual([
      'it has too many values',
      'it is longer than 16 MiB',
    ]);
    expect(feed.list()).toHaveLength(1);
  });

  it('refuses more than 64 MiB, and adds nothing of it', { timeout: 60_000 }, async () => {
    const { feed, upload } = await open();
    const line = recordingLine(delivery({ body: new Uint8Array(10 * 1024 * 1024) }));
    expect(await upload(line.repeat(5))).toMatchObject({ status: 413, message: expect.stringContaining('64 MiB') });
    expect(await upload('x'.repeat(90 * 1024 * 1024))).toMatchObject({ status: 413 });
    expect(feed.list()).toEqual([]);
  });

  it('adds nothing of an upload that is cut, and goes on', async () => {
    const { feed, upload, url, headers } = await open();
    const sent = httpRequest(`${url}api/recordings`, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': '9999999' },
    });
    const closed = new Promise<void>((resolve) => sent.on('error', () => {}).on('close', resolve));
    await new Promise((resolve) => sent.write(recordingLine(delivery()), resolve));
    sent.destroy();
    await closed;
    expect(await upload(recordingLine(delivery()))).toMatchObject({ added: 1 });
    expect(feed.list()).toHaveLength(1);
  });

  it('pushes no delivery out of the list that came during the upload', async () => {
    const { feed, url, headers, upload } = await open({ maxDeliveries: 3 });
    const sent = httpRequest(`${url}api/recordings`, { method: 'POST', headers });
    const answered = once(sent, 'response');
    const lines = recordingLine(delivery()).repeat(3);
    await new Promise((resolve) => sent.write(lines, resolve));
    // Once it is answered, the other upload has begun.
    await upload('');
    feed.put(recordOf('1'));
    await upload(recordingLine(delivery()));
    sent.end();
    const [answer] = await answered;
    expect(JSON.parse(String(Buffer.concat(await answer.toArray())))).toEqual({
      ...{ added: 1, id: 'r2', skipped: 2 },
      problems: [
        { line: 2, reason: 'the list is full' },
        { line: 3, reason: 'the list is full' },
      ],
    });
    expect(feed.list().map(({ id }) => id)).toEqual(['1', 'r1', 'r2']);
  });

  it('leaves bodies unread that cannot be read, are too large or are gone', async () => {
    const asked: number[] = [];
    let answer = () => {};
    const { feed, upload } = await open({
      read: (rawBody) => {
        asked.push(rawBody.byteLength);
        return new Promise((resolve) => {
          answer = () => resolve(undefined);
        });
      },
    });
    const bodies = [body('[1]'), new Uint8Array(2 * 1024 * 1024 + 1), body('[22]')];
    await upload(bodies.map((each) => recordingLine(delivery({ body: each }))).join(''));
    feed.clear();
    answer();
    await new Promise(setImmediate);
    expect(asked).toEqual([3]);
  });

  it('wants the token', async () => {
    const { url } = await open();
    const headers = { 'Content-Type': 'application/x-ndjson' };
    expect((await call(`${url}api/recordings`, { method: 'POST', headers, body: '' })).status).toBe(401);
    expect((await call(`${url}api/recording`)).status).toBe(401);
  });
});

describe('POST /api/recording', () => {
  it('saves the deliveries as JSON lines, which can be opened again', async () => {
    const { feed, upload, download } = await open();
    feed.put(recordOf('1', { target: '/hooks?a=1', verified: true }));
    feed.put(recordOf('2', { target: 'http://127.0.0.1:3000/webhooks?b=2', attempt: { status: 403, fault: 'old' } }));
    feed.put(recordOf('3', { rawBody: new Uint8Array(0), bodyDropped: true }));
    const { headers, text } = await download();
    expect([headers['content-type'], headers['x-deliveries-omitted']]).toEqual([
      'application/x-ndjson; charset=utf-8',
      '1',
    ]);
    const [first, second, end] = text.split('\n');
    expect([readLine(first as string), readLine(second as string), end]).toMatchObject([
      { path: '/hooks?a=1', status: 200, verdict: 'accepted', authentic: true, at: 1_700_000_000_000 },
      { path: '/webhooks?b=2', status: 403, verdict: 'refused', authentic: undefined },
      '',
    ]);
    expect(await upload(text)).toMatchObject({ added: 2, skipped: 0 });
    const [one, again] = ['1', 'r1'].map((id) => feed.get(id) as DeliveryRecord);
    expect(Buffer.from(again?.rawBody ?? []).equals(one?.rawBody ?? Buffer.alloc(1))).toBe(true);
    expect(again?.attempts[0]?.headers).toEqual(one?.attempts[0]?.headers);
  });

  it('saves only the deliveries that are asked for', async () => {
    const { feed, download } = await open();
    for (const id of ['1', '2', '3']) feed.put(recordOf(id, { target: `/${id}`, verified: true }));
    const { text } = await download({ ids: ['2', 'gone'] });
    expect(text.split('\n').map((line) => line && JSON.parse(line).path)).toEqual(['/2', '']);
    expect((await download({ ids: '2' })).status).toBe(400);
  });
});
