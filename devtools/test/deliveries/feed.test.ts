import { sampleEventEmitted } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../src/deliveries/contents.js';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { summaryOf } from '../../src/deliveries/views.js';
import { recordOf } from './records.js';

const body = (bytes: number) => ({ rawBody: new Uint8Array(bytes) });

describe('createFeed', () => {
  it('lists records in the order in which they first came, and puts a later version in its place', () => {
    const feed = createFeed();
    for (const id of ['1', '2', '3']) feed.put(recordOf(id));
    feed.put(recordOf('1', { target: '/changed' }));
    expect(feed.list().map(({ id, target }) => [id, target])).toEqual([
      ['1', '/changed'],
      ['2', '/webhooks'],
      ['3', '/webhooks'],
    ]);
    expect(feed.get('1')?.target).toBe('/changed');
    expect(feed.get('4')).toBeUndefined();
  });

  it('keeps the response to an attempt that comes again without it', () => {
    const feed = createFeed();
    const first = { at: 1, headers: [], status: 500 };
    const response = { headers: [], bodyBase64: 'AA==', bytes: 1 };
    feed.put({ ...recordOf('1'), attempts: [{ ...first, response }] });
    feed.put({ ...recordOf('1'), attempts: [first, { at: 1, headers: [] }] });
    expect(feed.get('1')?.attempts.map((each) => each.response)).toEqual([response, undefined]);
  });

  it('drops the oldest beyond maxDeliveries', () => {
    const feed = createFeed({ maxDeliveries: 2 });
    for (const id of ['1', '2', '3']) feed.put(recordOf(id));
    expect(feed.list().map(({ id }) => id)).toEqual(['2', '3']);
    expect(feed.get('1')).toBeUndefined();
  });

  it('drops the bodies of the oldest first when memory is needed, says so, and keeps what a list shows of them', () => {
    const feed = createFeed({ maxBytes: 30_000 });
    feed.put(recordOf('1'));
    const whole = summaryOf(feed.get('1') as never);
    feed.put(recordOf('2', body(20_000)));
    feed.put(recordOf('3', body(8_000)));
    expect(feed.get('1')).toMatchObject({ bodyDropped: true, rawBody: new Uint8Array(0) });
    expect(feed.get('2')?.bodyDropped).toBe(true);
    expect(feed.get('3')?.bodyDropped).toBeUndefined();
    expect(feed.get('3')?.rawBody.byteLength).toBe(8_000);
    expect(summaryOf(feed.get('1') as never)).toEqual(whole);
    expect(whole).toMatchObject({ names: ['Transfer'], events: 1 });
    expect(feed.bytes).toBeLessThanOrEqual(30_000);
  });

  it('drops the responses with the bodies, and keeps neither in the count', () => {
    const feed = createFeed({ maxBytes: 30_000 });
    const response = { headers: [], bodyBase64: 'A'.repeat(12_000), bytes: 9_000 };
    for (const id of ['1', '2', '3']) feed.put(recordOf(id, { ...body(0), attempt: { response } }));
    expect(feed.list().map(({ attempts }) => attempts[0]?.response?.bytes)).toEqual([undefined, 9_000, 9_000]);
    expect(feed.get('1')).toMatchObject({ bodyDropped: true, attempts: [{ status: 200 }] });
    expect(feed.bytes).toBeGreaterThan(24_000);
    expect(feed.bytes).toBeLessThanOrEqual(30_000);
  });

  it('drops records when their headers and reasons alone are too much', () => {
    const feed = createFeed({ maxBytes: 50_000 });
    const attempt = { headers: [['X', 'x'.repeat(10_000)]] as [string, string][] };
    for (const id of ['1', '2', '3', '4', '5']) feed.put(recordOf(id, { attempt }));
    expect(feed.list().length).toBeLessThan(3);
    expect(feed.get('5')).toBeDefined();
    expect(feed.bytes).toBeLessThanOrEqual(50_000);
  });

  it('keeps a body that alone is more than maxBytes out of memory', () => {
    const feed = createFeed({ maxBytes: 10_000 });
    feed.put(recordOf('1', body(20_000)));
    expect(feed.get('1')).toMatchObject({ bodyDropped: true });
    expect(summaryOf(feed.get('1') as never).bytes).toBe(20_000);
  });

  it('stays within its bounds for ten times as many deliveries as it keeps', () => {
    const feed = createFeed({ maxDeliveries: 100, maxBytes: 50_000 });
    const record = recordOf('1');
    for (let id = 1; id <= 1_000; id++) {
      feed.put({ ...record, id: String(id), rawBody: new Uint8Array(1_000) });
      expect(feed.bytes).toBeLessThanOrEqual(50_000);
    }
    const kept = feed.list();
    expect(kept.length).toBeLessThan(100);
    expect(kept.at(-1)?.id).toBe('1000');
    expect(kept.at(-1)?.bodyDropped).toBeUndefined();
  });

  it('does not read a body that is nothing but values, which would take seconds and gigabytes', () => {
    const feed = createFeed();
    const list = (item: string, count: number) => ({ rawBody: Buffer.from(`[${Array(count).fill(item).join()}]`) });
    for (const [id, item] of ['0', '{}', '[]', '1e400'].entries()) feed.put(recordOf(String(id), list(item, 200_000)));
    expect(feed.list().map(({ contents }) => contents.events)).toEqual([0, 0, 0, 0]);
    const event = JSON.stringify(sampleEventEmitted());
    feed.put(recordOf('events', list(event, 1_000)));
    expect(feed.get('events')?.contents).toMatchObject({ events: 1_000, names: ['Transfer'] });
  });

  it('does not read what a stranger sent, until somebody else has', () => {
    const feed = createFeed();
    const told: number[] = [];
    feed.subscribe((record) => told.push(record?.contents.events ?? -1));
    feed.put(recordOf('1', { verified: false }));
    const { rawBody } = feed.get('1') as KeptDelivery;
    expect(feed.get('1')?.contents).toMatchObject({ bytes: rawBody.byteLength, events: 0, names: [] });
    feed.describe('1', contentsOf(rawBody));
    feed.put(recordOf('1', { verified: false }));
    feed.describe('gone', contentsOf(rawBody));
    expect([feed.get('1')?.contents.names, told]).toEqual([['Transfer'], [0, 1, 1]]);
  });

  it('does not keep the large buffer that a small body is a part of', () => {
    const feed = createFeed();
    feed.put(recordOf('1', { rawBody: new Uint8Array(1_000_000).subarray(10, 20) }));
    expect(feed.get('1')?.rawBody.buffer.byteLength).toBe(10);
  });

  it('tells subscribers of every change and of clearing, until they have enough', () => {
    const feed = createFeed();
    const told: (string | undefined)[] = [];
    const end = feed.subscribe((record) => told.push(record?.id));
    feed.put(recordOf('1'));
    feed.put(recordOf('1'));
    feed.clear();
    end();
    feed.put(recordOf('2'));
    expect(told).toEqual(['1', '1', undefined]);
  });
});
