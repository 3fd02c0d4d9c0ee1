import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { createColors } from 'picocolors';
import { describe, expect, it } from 'vitest';
import { attemptText, deliveryText, refusalText } from '../../src/cli/delivery-text.js';
import { itemsOf } from '../../src/deliveries/contents.js';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { rowsOf } from '../../src/deliveries/rows.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import { recordOf } from '../deliveries/records.js';

const colors = createColors(false);

function kept(...args: Parameters<typeof recordOf>): KeptDelivery {
  const feed = createFeed();
  feed.put(recordOf(...args));
  return feed.get(args[0]) as KeptDelivery;
}
const textOf = (...args: Parameters<typeof recordOf>) => {
  const record = kept(...args);
  return deliveryText(summaryOf(record), rowsOf(itemsOf(record.rawBody)), colors).split('\n');
};

describe('deliveryText', () => {
  it('has a row for each item: events, transactions, unknown kinds and invalid items', () => {
    const [head, ...rows] = textOf('1', {
      events: [
        sampleEventEmitted({ data: { event: { contract: { label: '', addressLabel: '' } } } }),
        sampleTransactionIncluded(),
        sampleTransactionIncluded({ data: { failed: true, status: undefined } }),
        sampleTransactionIncluded({ data: { tx: undefined } }),
        { id: 'x', event: 'new.kind' },
        { id: 1, event: 'event.emitted' },
        7,
      ],
    });
    expect(head).toMatch(/^\d\d:\d\d:\d\d {2}200 accepted {2}\/webhooks {2}7 items, \d+ bytes, 3 ms$/);
    expect(rows).toHaveLength(7);
    expect(rows[0]).toMatch(/event\.emitted +Transfer +0x5FbD…0aa3 +from/);
    expect(rows[1]).toMatch(/transaction\.included +included +0x5fbd…0aa3 +hash 0x[0-9a-f]{4}…[0-9a-f]{4}$/);
    expect(rows[2]).toMatch(/hash 0x[0-9a-f]{4}…[0-9a-f]{4} {2}failed$/);
    expect(rows[3]).toMatch(/transaction\.included +included$/);
    expect(rows[4]).toMatch(/new\.kind +a kind that this version does not know$/);
    expect(rows[5]).toMatch(/invalid +id: expected a string that is not empty$/);
    expect(rows[6]).toMatch(/invalid +item: expected an object$/);
    const input = { name: 'a', value: '1', hashed: false, type: 'uint8' };
    const wide = sampleEventEmitted({ data: { event: { inputs: Array.from({ length: 30 }, () => input) } } });
    expect(textOf('3', { events: [wide] })[1]).toMatch(/a 1 {2}… \d+ more$/);
    const many = textOf('2', { events: Array.from({ length: 101 }, () => 7), attempt: { status: undefined } });
    expect(many[0]).toMatch(/— failed {2}\/webhooks {2}101 items/);
    expect(many.at(-1)).toMatch(/^ {2}… \d+ more$/);
  });
});

describe('refusalText', () => {
  const output = { colors, isTerminal: false, columns: 80 };
  const finding = { cause: 'x', what: 'It is this.', confidence: 'likely', fix: 'Do that.' } as const;
  const answered = (body: string) => ({ headers: [], bodyBase64: Buffer.from(body).toString('base64'), bytes: 1 });

  it('gives the reason and the likeliest cause with its fix, as far as they are known', () => {
    expect(refusalText({ reason: 'Refused.' }, [finding], output)).toEqual([
      ...['  Refused.', '  likely: It is this.', '  Do that.'],
    ]);
    expect(refusalText({}, [finding, { ...finding, what: 'And this.' }], output)).toHaveLength(4);
    expect(refusalText({}, [], output)).toEqual([]);
  });

  it('quotes the first lines of the response, escaped', () => {
    const response = answered('\r\nMount it \u001b[2J first\n\n  two\nthree\nfour\nfive\n');
    expect(refusalText({ response }, [], output)).toEqual([
      ...['  │ Mount it \\e[2J first', '  │ two', '  │ three', '  │ … 2 more lines'],
    ]);
    expect(refusalText({ response: answered('one line') }, [], output)).toEqual(['  │ one line']);
  });
});

describe('attemptText', () => {
  it('is one line, with the fault, the reason and when it is tried again', () => {
    const attempt = { status: undefined, code: 'ECONNREFUSED', reason: 'nothing\nlistens', fault: 'held back' };
    const { attempts } = recordOf('1', { attempt });
    const events = [sampleTransactionIncluded(), sampleEventEmitted()];
    const record = kept('1', { events, attempt, label: 'shop', nextAttemptAt: 1_700_000_100_000 });
    const text = attemptText(
      summaryOf({ ...record, attempts: [...attempts, ...record.attempts] }),
      lastOf(record),
      colors,
    );
    expect(text).toMatch(
      /^\S+ {2}— failed {2}shop {2}Transfer, transaction\.included {2}2 items, 3 ms {2}tx 0x.* and 1 more {2}attempt 2 {2}fault: held back {2}nothing\\nlistens {2}next attempt at \S+$/,
    );
    expect(attemptText(summaryOf(kept('1')), lastOf(kept('1')), colors)).toMatch(
      /200 accepted {2}Transfer {2}1 item, 3 ms {2}1,000,000,000,000,000,000 · 0xf39F → 0x7099$/,
    );
  });
});
