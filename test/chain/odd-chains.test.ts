import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { logIdentity } from '../../src/evm/index.js';
import type { WebhookEvent } from '../../src/index.js';
import { adding, type OddLogs, oddLogs, oddTransactions } from './odd-blocks.js';
import { noting, readAll, run, sourceOf } from './reconcile/reconciling.js';
import { isEmitted, people, received, transfer, valuesOf, watchedNode } from './watching.js';

const on = watchedNode();
const { start, done } = on;
const [wallet] = people;
const other = padHex('0xabc', { size: 20 });

const kinds = Object.keys(oddLogs) as OddLogs[];
/** Not even a warning: nothing is missing, and nothing contradicts. */
const silent: readonly OddLogs[] = ['index'];

const withoutIds = (events: readonly WebhookEvent[]) => events.map((event) => ({ ...event, id: '' }));
const identities = (events: readonly WebhookEvent[]) => events.map((event) => logIdentity(event, { chainId: 1 }));
const levels = (lines: readonly { level: string }[]) => lines.map(({ level }) => level);

/** A block with transfers 10, 11 and 12 in two transactions, and 13 without one where the kind of oddity has such a log. */
function mineOdd(kind: OddLogs, base = 10): void {
  const mined = on.node.mine(
    { logs: [transfer(base), transfer(0, other), transfer(base + 1)] },
    {},
    { logs: [transfer(base + 2)] },
  );
  oddLogs[kind](mined, transfer(base + 3));
}
const oddValues = (kind: OddLogs, base = 10) =>
  [0, 1, 2, ...(adding.includes(kind) ? [3] : [])].map((each) => String(base + each));

/** Has watchChain follow two ordinary blocks, each with an odd one after it. */
async function followOdd(kind: OddLogs): Promise<void> {
  on.node.mine({ logs: [transfer(1)] });
  mineOdd(kind);
  on.node.mine({ logs: [transfer(2)] });
  mineOdd(kind, 20);
  await start();
  await done(4);
}

describe.each(kinds)('a chain with odd logs (%s)', (kind) => {
  it('is followed by watchChain, which says so once', async () => {
    await followOdd(kind);
    const events = on.recorder.groups.flat();
    expect(valuesOf([events])[0]).toEqual(['1', ...oddValues(kind), '2', ...oddValues(kind, 20)]);
    expect(new Set(identities(events)).size).toBe(events.length);
    expect(received(events)).toEqual(events);
    const without = events.filter(isEmitted).filter(({ data }) => data.transaction === undefined);
    expect(valuesOf([without])[0]).toEqual(adding.includes(kind) ? ['13', '23'] : []);
    // Two tries, and what is done from then on.
    const lines = silent.includes(kind) ? [] : ['error', 'error', 'warn', 'info'];
    expect(levels(on.recorder.lines)).toEqual(lines);
    if (lines.length === 0) return;
    const { hash } = on.node.chain[2]?.block ?? {};
    expect(on.recorder.lines[0]?.message).toContain(`The node sent an invalid answer: block 2 (${hash}) has`);
    expect(on.recorder.lines[2]).toMatchObject({ fields: { blockNumber: 2, blockHash: hash } });
    expect(on.recorder.lines[2]?.message).toContain(`Three identical answers: block 2 (${hash}) has`);
  });

  it.each([1, 1000])('gives the same events by chainSource, in ranges of %i blocks', async (maxRange) => {
    await followOdd(kind);
    const { source, lines } = sourceOf(on.node, { maxRange });
    const { events } = await readAll(source);
    expect(withoutIds(events)).toEqual(withoutIds(on.recorder.groups.flat()));
    expect(levels(lines)).toEqual(silent.includes(kind) ? [] : ['warn']);
    const { receiver, handled } = noting();
    const { report } = await run(on.node, receiver, { sourceOptions: { maxRange } });
    expect(handled.map(String)).toEqual(['1', ...oddValues(kind), '2', ...oddValues(kind, 20)]);
    expect([report.repaired, report.unproven, report.stopped]).toEqual([handled.length, undefined, undefined]);
  });
});

describe('a log without a transaction', () => {
  it.each([1, 1000])('is found in a block without transactions, in ranges of %i blocks', async (maxRange) => {
    on.node.mine({ logs: [transfer(1)] });
    oddLogs.zero(on.node.mine(), transfer(2));
    await start();
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([['1'], ['2']]);
    expect((await readAll(sourceOf(on.node, { maxRange }).source)).events).toHaveLength(2);
  });

  it('is removed by a re-org like others', async () => {
    oddLogs.block(on.node.mine({ logs: [transfer(1)] }), transfer(2));
    await start();
    await done(1);
    on.node.drop(1);
    on.node.mine({ logs: [transfer(3)] });
    on.node.mine();
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([['1'], ['2'], ['-2'], ['-1'], ['3']]);
  });

  it('is not taken for a missing one by receipts, which lack it, while the node lags', async () => {
    on.node.mine({ logs: [transfer(1)] });
    oddLogs.block(on.node.mine({}), transfer(2));
    let isBehind = true;
    on.node.answer((method, [first], answer) => {
      const isAsked = method === 'eth_getLogs' && Object(first).blockHash === on.node.chain[2]?.block.hash;
      return isAsked && isBehind ? [] : answer;
    });
    await start();
    await on.recorder.until(() => on.recorder.lines.length > 0);
    expect(on.recorder.lines[0]?.message).toContain('The node did not prove which logs block 2');
    isBehind = false;
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([['1'], ['2']]);
  });
});

describe('two logs that logIdentity cannot distinguish', () => {
  it('are never passed on, and the error names the place', async () => {
    const { logs } = on.node.mine({ logs: [transfer(1), transfer(2)] });
    Object.assign(logs[1] ?? {}, { logIndex: '0x0' });
    await start();
    await on.recorder.until(() => on.recorder.lines.length > 4);
    expect(on.watcher?.blockNumber).toBe(0);
    for (const { message } of on.recorder.lines) {
      expect(message).toContain('logIndex 0 is not unique in its transaction. Retrying block 1');
    }
  });
});

describe.each(Object.entries(oddTransactions))('a transaction %s', (_, fields) => {
  /** What a wallet sends beside it is passed on, too. */
  it('holds up neither watchChain nor chainSource', async () => {
    const { block } = on.node.mine({ logs: [transfer(1)] }, { from: wallet });
    Object.assign(block.transactions[0] ?? {}, fields);
    on.node.mine({ logs: [transfer(2)] });
    await start({ wallets: [wallet] });
    await done(2);
    expect(valuesOf(on.recorder.groups)).toEqual([['1'], [], ['2']]);
    const events = on.recorder.groups.flat();
    expect(received(events)).toEqual(JSON.parse(JSON.stringify(events)));
    const { source, lines } = sourceOf(on.node, { wallets: [wallet] });
    expect(withoutIds((await readAll(source)).events)).toEqual(withoutIds(events));
    expect(levels(lines)).toEqual(fields.from === null ? ['warn'] : []);
  });

  it('of a wallet is passed on', async () => {
    const { block } = on.node.mine({ from: wallet });
    const { from: __, ...others } = fields;
    Object.assign(block.transactions[0] ?? {}, others);
    await start({ wallets: [wallet] });
    await done(1);
    expect(received(on.recorder.groups.flat())).toMatchObject([{ event: 'transaction.included' }]);
    expect(on.recorder.lines).toEqual([]);
  });
});

describe('times of blocks', () => {
  it.each([
    ['seconds', 1_761_317_324n],
    ['milliseconds', 1_761_317_324_996n],
    ['microseconds', 1_761_317_324_996_005n],
    ['nanoseconds', 1_761_317_324_996_005_796n],
  ])('may be %s', async (_, time) => {
    const { block, header } = on.node.mine({ logs: [transfer(1)] });
    for (const each of [block, header]) Object.assign(each, { timestamp: `0x${time.toString(16)}` });
    await start();
    await done(1);
    const second = { data: { triggeredAt: '2025-10-24T14:48:44Z' } };
    expect(on.recorder.groups.flat()).toMatchObject([second]);
    const { chunks, events } = await readAll(sourceOf(on.node).source);
    expect(events).toMatchObject([second]);
    expect(chunks[0]?.oldestAt).toBe(1_761_317_324_000);
    const old = sourceOf(on.node, { minAgeSeconds: 60 });
    expect(await old.source.open({ signal: new AbortController().signal })).toMatchObject({ end: 1 });
  });
});
