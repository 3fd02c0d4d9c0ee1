import {
  createTestDelivery,
  sampleContractEvent,
  sampleEventEmitted,
  sampleTransactionIncluded,
} from 'event-webhook-receiver/testing';
import { createColors } from 'picocolors';
import { parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { eventStyle } from '../../src/cli/delivery-text.js';
import { contentsOf } from '../../src/deliveries/contents.js';
import type { KnownContracts } from '../../src/deliveries/known-contracts.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import { recordOf } from '../deliveries/records.js';
import { call } from '../page/call.js';
import { ways } from './running.js';

const colors = createColors(false);
const SECRET = 'whsec-of-the-events';

function printed(events: readonly unknown[], contracts: KnownContracts = new Map()) {
  const record = recordOf('7', { events });
  const style = eventStyle(() => contracts);
  const summary = summaryOf({ ...record, contents: contentsOf(record.rawBody) });
  const about = { summary, last: lastOf(record), rows: [], items: style.decode?.(record.rawBody).slice(0, 100) ?? [] };
  return { lines: style.text(about, colors).split('\n'), documents: style.documents(about, []) };
}

describe('the events of a delivery', () => {
  it('are one line each, whatever they are', () => {
    const abi = parseAbi(['event Gone(uint256 id)']);
    const removed = sampleContractEvent({ abi, name: 'Gone', args: { id: 1234n }, removed: true });
    const unnamed = { ...sampleEventEmitted(), event: 'later.kind' };
    const { lines } = printed([sampleTransactionIncluded(), removed, unnamed, { id: 1 }]);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/200 accepted {2}transaction\.included/);
    expect(lines[1]).toMatch(/200 accepted {2}Gone {2}.* {2}id 1234 {2}removed$/);
    expect(lines[2]).toMatch(/200 accepted {2}unknown {2}later\.kind$/);
    expect(lines[3]).toMatch(/200 accepted {2}invalid {2}\S+: /);
    expect(printed([7]).lines[0]).toMatch(/ {2}invalid {2}item: expected an object$/);
    expect(printed([sampleTransactionIncluded({ data: { tx: undefined } })]).lines[0]).toMatch(
      /transaction\.included$/,
    );
    const [none] = printed([]).lines;
    expect(none).toMatch(/200 accepted {2}\/webhooks {2}no events$/);
    expect(printed([]).documents).toEqual([{ event: expect.objectContaining({ delivery: '7', findings: [] }) }]);
    const token = sampleEventEmitted();
    const known = new Map([
      [token.data.event.contract.address.toLowerCase(), { abi: [], symbol: 'TOK', decimals: 18 }],
    ]);
    expect(printed([token], known).lines[0]).toMatch(/ {2}value 1 TOK$/);
    expect(printed(Array.from({ length: 101 }, () => token)).lines.at(-1)).toMatch(/^ {2}… \d+ more$/);
  });
});

describe.each(ways)('listen --events, $way', ({ start }) => {
  const signed = (secret: string) => {
    const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted(), sampleEventEmitted()], { secret });
    return { method: 'POST', body, headers };
  };
  const env = { WEBHOOK_SECRET: SECRET };

  it('prints a line an event, also of a forgery, with the reason', { timeout: 30_000 }, async () => {
    const listen = start(['listen', '--port', '0', '--no-page', '--events'], env);
    const url = /http:\/\/[^\s/]+\//.exec(await listen.until(/^Listening/))?.[0] ?? '';
    await call(url, signed(SECRET));
    for (const _ of [1, 2]) expect(await listen.until(/accepted/)).toMatch(/Transfer {2}sampletoken {2}from 0x/);
    await call(url, signed(`${SECRET} `));
    for (const _ of [1, 2]) expect(await listen.until(/refused/)).toMatch(/Transfer {2}sampletoken {2}from 0x/);
    await listen.until(/certain: /);
  });
});
