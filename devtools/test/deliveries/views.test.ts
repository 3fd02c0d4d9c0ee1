import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { describe, expect, it } from 'vitest';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { itemViews } from '../../src/deliveries/item-view.js';
import type { KnownContracts } from '../../src/deliveries/known-contracts.js';
import { summaryOf, detailOf as wholeDetail } from '../../src/deliveries/views.js';
import { decodeByWire } from '../../src/deliveries/wire-abi.js';
import { kept, recordOf, transferOf } from './records.js';

/** The contract of the samples. */
const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const HUGE = 'x'.repeat(100_000);

const detailOf = (record: KeptDelivery, contracts: KnownContracts = new Map()) =>
  wholeDetail(record, { findings: [], items: itemViews(record.rawBody, contracts) });

describe('summaryOf', () => {
  it('tells kinds, contracts and names once each, and what came of the last attempt', () => {
    const events = [
      sampleEventEmitted(),
      sampleEventEmitted(),
      sampleTransactionIncluded(),
      { id: 'x', event: 'new.kind' },
    ];
    const { attempts } = recordOf('1', { attempt: { status: 503 } });
    const record = kept('1', { events });
    expect(summaryOf({ ...record, attempts: [...attempts, ...record.attempts] })).toMatchObject({
      verdict: 'accepted',
      status: 200,
      attempts: 2,
      events: 4,
      kinds: ['event.emitted', 'transaction.included', 'new.kind'],
      contracts: ['sampletoken', '0x5fbdb2315678afecb367f032d93f642f64180aa3'],
      names: ['Transfer'],
      bytes: record.rawBody.byteLength,
    });
  });

  it('tells the webhook, and whether it was recorded', () => {
    const record = kept('1', { webhookId: 7, recorded: true });
    expect(summaryOf(record)).toMatchObject({
      ...{ webhookId: 7, recorded: true },
      gist: '1,000,000,000,000,000,000 · 0xf39F → 0x7099',
    });
  });

  it('cuts every text that somebody else wrote to 200 characters', () => {
    const events = Array.from({ length: 30 }, (_, n) =>
      sampleEventEmitted({ data: { event: { name: `${n}${HUGE}`, contract: { label: `${n}${HUGE}` } } } }),
    );
    const attempt = { code: HUGE, fault: HUGE, reason: HUGE };
    const summary = summaryOf(kept('1', { events, attempt, label: HUGE, target: HUGE }));
    expect(JSON.stringify(summary).length).toBeLessThan(10_000);
    expect(summary.names[0]).toHaveLength(200);
    expect(summary.names[0]).toMatch(/^0x+…$/);
    expect(summary.names).toHaveLength(20);
  });

  it('has no items for a body that is not a JSON array', () => {
    for (const text of ['', 'nonsense', '{}', '\u{FEFF}[]']) {
      const record = kept('1', { rawBody: new TextEncoder().encode(text) });
      expect(summaryOf(record)).toMatchObject({ events: 0, kinds: [], names: [], contracts: [] });
    }
  });
});

describe('detailOf', () => {
  it('has the last ten responses with bounded headers', () => {
    const response = {
      headers: Array.from({ length: 200 }, () => ['X', 'y'] as const),
      ...{ bodyBase64: 'eA==', bytes: 1 },
    };
    const attempts = Array.from({ length: 12 }, () => ({ at: 1, headers: [], status: 500, response }));
    const detail = detailOf({ ...kept('1'), attempts });
    expect(detail.attempts.map((each) => each.response?.headers.length)).toEqual([
      ...[undefined, undefined],
      ...Array(10).fill(100),
    ]);
  });

  it('stops decoding where a delivery has more logs than can be decoded while somebody waits', () => {
    const long = `0x${'0'.repeat(48)}0de0b6b3a7640000${'0'.repeat(50_000)}`;
    const { items } = detailOf(kept('1', { events: Array(40).fill(transferOf('1', long)) }));
    const exact = items.map(({ inputs }) => inputs?.[2]?.exact);
    expect(exact[0]).toBe('1000000000000000000');
    expect(exact.at(-1)).toBeUndefined();
    // Too much at once: every way to index three of twelve lists.
    const sample = transferOf('1', `0x${'0'.repeat(90_000)}`);
    const inputs = Array(12).fill({ name: '', value: '', hashed: false, type: 'uint256[]' });
    const topics = Array(4).fill(`0x${'0'.repeat(64)}`);
    const rawFields = JSON.stringify({ ...JSON.parse(sample.data.event.rawFields ?? ''), topics });
    const asked: number[] = [];
    const refuse = (characters: number) => asked.push(characters) === 0;
    const event = sampleEventEmitted({ data: { event: { inputs, rawFields } } });
    expect(decodeByWire(event, refuse)).toBeUndefined();
    expect(asked[0]).toBeGreaterThan(220 * 90_000);
  });

  it('survives payloads of transactions that hold anything', () => {
    const data = { tx: null, status: { a: 1 }, from: 7, blockNumber: [1] } as never;
    const events = [{ id: 't', event: 'transaction.included', data }];
    const { items } = detailOf(kept('1', { events }), new Map([[TOKEN, { abi: [] }]]));
    expect(items[0]).toMatchObject({
      status: 'event',
      transaction: { from: '7', status: '{"a":1}', blockNumber: '[1]' },
    });
  });

  it('is bounded, whatever the delivery is', () => {
    const inputs = Array.from({ length: 300 }, () => ({
      name: HUGE.slice(0, 2_000),
      value: 'y'.repeat(3_000),
      hashed: false,
      type: 'string',
    }));
    const events = Array.from({ length: 3 }, () => sampleEventEmitted({ data: { event: { name: HUGE, inputs } } }));
    const many = Array.from({ length: 600 }, () => ({ id: 'x', event: 'new.kind' }));
    const headers = Array.from({ length: 500 }, () => [HUGE.slice(0, 9_000), HUGE.slice(0, 9_000)] as [string, string]);
    const { attempts } = recordOf('1', { attempt: { headers: headers.slice(0, 5), reason: HUGE } });
    const detail = detailOf({
      ...kept('1', { events: [...events, ...many] }),
      attempts: Array(500).fill(attempts[0]),
    });
    expect(detail.items).toHaveLength(200);
    expect(detail.attempts).toHaveLength(100);
    expect(detail.earlierAttempts).toBe(400);
    expect(detail.items[0]).toMatchObject({ moreInputs: 200 });
    expect(detail.bodyTruncated).toBe(true);
    expect(Buffer.from(detail.bodyBase64, 'base64')).toHaveLength(1024 * 1024);
    expect(JSON.stringify(detail.items).length).toBeLessThan(4_000_000);
    expect(JSON.stringify(detail.attempts).length).toBeLessThan(5_000_000);
  });
});
