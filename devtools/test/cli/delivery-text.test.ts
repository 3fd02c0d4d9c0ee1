import { sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { createColors } from 'picocolors';
import { describe, expect, it } from 'vitest';
import { deliveryText, detailLines, paints, refusalLines } from '../../src/cli/delivery-text.js';
import type { KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import { kept, recordOf } from '../deliveries/records.js';

const colors = createColors(false);

const textOf = (record: KeptDelivery) => deliveryText(summaryOf(record), lastOf(record), colors);

describe('a delivery as a line', () => {
  it('has its number, the time, the result, and what it contains', () => {
    expect(textOf(kept('12'))).toMatch(
      /^#12 {3}\d\d:\d\d:\d\d {2}200 accepted {2}Transfer {2}1,000,000,000,000,000,000 · 0xf39F → 0x7099 {2}\/webhooks {2}3 ms$/,
    );
    const { data } = sampleEventEmitted();
    const rawFields = JSON.stringify({ ...JSON.parse(data.event.rawFields ?? ''), removed: true });
    const removed = kept('13', { events: [sampleEventEmitted({ data: { event: { rawFields } } })] });
    expect(textOf(removed)).toContain('0x7099  removed by a re-org  /webhooks');
    const none = kept('2', { events: [], attempt: { status: undefined, durationMs: undefined } });
    expect(textOf(none)).toMatch(/^#2 {4}\S+ {2}— pending {5}0 items {2}\/webhooks$/);
  });

  it('shows neither "no events" nor "0 items" for a body that was not read', () => {
    const record = kept('3', { verified: false, attempt: { status: 403 } });
    expect(textOf(record)).toMatch(/403 refused {3}\d+ bytes, not read {2}\/webhooks {2}3 ms$/);
  });

  it('has the fault, the attempt and the time of the next attempt', () => {
    const attempt = { status: undefined, code: 'ECONNREFUSED', fault: 'held back' };
    const { attempts } = recordOf('1', { attempt });
    const events = [sampleTransactionIncluded(), sampleEventEmitted()];
    const record = kept('1', { events, attempt, label: 'shop', nextAttemptAt: 1_700_000_100_000 });
    expect(textOf({ ...record, attempts: [...attempts, ...record.attempts] })).toMatch(
      /ECONNREFUSED failed {2}Transfer, transaction\.included {2}tx 0x.* and 1 more {2}2 items {2}shop {2}3 ms {2}sent again, attempt 2 {2}fault: held back {2}next attempt at \S+$/,
    );
  });

  it('gives "refused" a colour that no other result has', () => {
    const painted = Object.values(paints(createColors(true))).map((paint) => paint('x'));
    expect(new Set(painted).size).toBe(4);
  });
});

describe('the lines of a refusal', () => {
  const finding = { cause: 'x', what: 'It is this.', confidence: 'likely', fix: 'Do that.' } as const;
  const answered = (body: string) => ({ headers: [], bodyBase64: Buffer.from(body).toString('base64'), bytes: 1 });

  it('give the causes with their fixes, or else the reason', () => {
    expect(refusalLines({ reason: 'Refused.' }, [finding], colors)).toEqual(['likely: It is this.', 'Do that.']);
    expect(refusalLines({}, [finding, { ...finding, what: 'And this.' }], colors)).toHaveLength(4);
    expect(refusalLines({ reason: 'Refused.' }, [], colors)).toEqual(['Refused.']);
    expect(refusalLines({}, [], colors)).toEqual([]);
  });

  it('quote the first lines of the response, escaped', () => {
    const response = answered('\r\nMount it \u001b[2J first\n\n  two\nthree\nfour\nfive\n');
    expect(refusalLines({ response }, [], colors)).toEqual([
      ...['│ Mount it \\e[2J first', '│ two', '│ three', '│ … 2 more lines'],
    ]);
    expect(refusalLines({ response: answered('one line') }, [], colors)).toEqual(['│ one line']);
  });
});

it('the details of a delivery are its headers and its body, escaped', () => {
  const lines = detailLines(kept('1', { rawBody: Buffer.from('[\u001b]') }), colors);
  expect(lines).toEqual([
    'POST /webhooks',
    ...Array(lines.length - 3).fill(expect.stringMatching(/^X-Service-|^Content-/i)),
    '3 bytes:',
    '[\\e]',
  ]);
  expect(detailLines({ ...kept('1'), bodyDropped: true }, colors).at(-1)).toBe('The body is not kept.');
});
