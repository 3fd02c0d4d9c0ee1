import { type Hex, padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { token, transfer, watchedNode } from './watching.js';

const on = watchedNode();
const { start, done, sent } = on;

const other = padHex('0xabc', { size: 20 });
const [zeros, ones] = ['0', 'f'].map((digit) => `0x${digit.repeat(512)}`);
const useless: [string, unknown][] = [
  ['are zeros', zeros],
  ['are ones', ones],
  ['are missing', undefined],
];

const hashOf = (number: number) => on.node.chain[number]?.block.hash as Hex;

/** The block that an answer about logs is about. */
function blockOf(method: string, [first]: readonly unknown[]): unknown {
  if (method === 'eth_getLogs') return (first as { blockHash?: Hex }).blockHash;
  return method === 'eth_getBlockReceipts' ? first : undefined;
}

/** Lacks the logs of a block the first `times` that each question about them is asked; or as long as it holds. */
function lag(number: number, times: number | (() => boolean), receipts: unknown = null): void {
  const asked = new Map<string, number>();
  on.node.answer((method, params, answer) => {
    if (blockOf(method, params) !== hashOf(number)) return answer;
    const key = JSON.stringify([method, params]);
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    if (typeof times === 'number' ? before >= times : !times()) return answer;
    return method === 'eth_getLogs' ? [] : receipts;
  });
}

describe('watchChain with a node that has no logs for a block that it lacks', () => {
  it('takes the logs of the receipts', async () => {
    on.mine(1, 2, 3);
    on.node.answer((method, params, answer) => {
      return method === 'eth_getLogs' && blockOf(method, params) === hashOf(2) ? [] : answer;
    });
    await start();
    await done(3);
    expect(sent()).toEqual(['1', '2', '3']);
    expect(on.recorder.lines).toEqual([]);
  });

  it.each<[string, (receipts: Record<string, unknown>[]) => unknown]>([
    ['null', () => null],
    ['those of another block', (all) => all.map((each) => ({ ...each, blockHash: hashOf(1), logs: [] }))],
    ['not those of each transaction', (all) => all.slice(1).map((each) => ({ ...each, logs: [] }))],
    [
      'an error',
      () => {
        throw new Error('unknown block');
      },
    ],
  ])('does not believe receipts that are %s', async (_, how) => {
    on.node.mine({ logs: [transfer(1)] });
    on.node.mine({ logs: [transfer(2)] }, {});
    let isBehind = true;
    on.node.answer((method, params, answer) => {
      if (!isBehind || blockOf(method, params) !== hashOf(2)) return answer;
      return method === 'eth_getLogs' ? [] : how(answer as Record<string, unknown>[]);
    });
    await start();
    await on.recorder.until(() => on.recorder.lines.length > 1);
    expect([on.watcher?.blockNumber, sent()]).toEqual([1, ['1']]);
    isBehind = false;
    await done(2);
    expect(sent()).toEqual(['1', '2']);
    const { level, message } = on.recorder.lines[0] ?? {};
    expect([level, message]).toEqual([
      'error',
      `The node did not prove which logs block 2 (${hashOf(2)}) has. It may not have the block yet. If this persists, use another node, or one that offers eth_getBlockReceipts. Retrying block 2 in 2 ms.`,
    ]);
    expect(on.recorder.lines.at(-1)?.message).toBe('The node answers again.');
  });

  it('takes all logs of a block that make up its bloom filter, without receipts', async () => {
    on.node.set({ lacksReceipts: true });
    on.node.mine({ logs: [transfer(1, other)] });
    on.node.mine({ logs: [transfer(2), transfer(3, other)] });
    on.node.answer((method, params, answer) => {
      const { address } = (params[0] ?? {}) as { address?: unknown };
      return method === 'eth_getLogs' && address ? [] : answer;
    });
    await start();
    await done(2);
    expect(sent()).toEqual(['2']);
    expect(on.recorder.lines).toEqual([]);
  });

  it('asks for more when the bloom filter claims logs of another contract', async () => {
    const second = { ...token, address: other, label: 'other' };
    on.node.mine({ logs: [transfer(1), transfer(2, other)] }, { logs: [transfer(3)] });
    let cuts = 2;
    on.node.answer((method, _, answer) => {
      if (method !== 'eth_getLogs' || (answer as unknown[]).length === 0 || cuts-- <= 0) return answer;
      return (answer as { address: Hex }[]).filter(({ address }) => address !== other);
    });
    await start({ contracts: [token, second] });
    await done(1);
    expect(sent()).toEqual(['1', '2', '3']);
    expect(on.recorder.lines).toEqual([]);
  });
});

describe('watchChain on a chain with neither bloom filters nor receipts', () => {
  it.each(useless)('asks again, warns once and continues when the filters %s', async (_, bloom) => {
    on.node.set({ bloomOf: () => bloom, lacksReceipts: true });
    on.node.mine();
    for (const value of [1, 2]) on.node.mine({}, { from: other, ...(value === 2 && { logs: [transfer(value)] }) });
    for (let block = 0; block < 3; block++) on.node.mine({});
    await start();
    await done(6);
    expect(sent()).toEqual(['2']);
    expect(on.recorder.lines).toMatchObject([{ level: 'warn', fields: { blockNumber: 2, blockHash: hashOf(2) } }]);
    expect(on.recorder.lines[0]?.message).toBe(
      `The node cannot prove which logs block 2 (${hashOf(2)}) has: bloom filters of this chain cannot be used, and eth_getBlockReceipts is not offered, or lacks some logs. These blocks are accepted without proof, so a lagging node may hide their events. Use a node whose eth_getBlockReceipts returns all logs.`,
    );
    for (const number of [4, 5, 6]) {
      const asked = on.node.calls.filter(({ method, params }) => blockOf(method, params) === hashOf(number));
      expect(asked.filter(({ method }) => method === 'eth_getLogs').length).toBeGreaterThan(1);
    }
  });

  it('takes any log of the block for proof that the node has it', async () => {
    on.node.set({ bloomOf: () => ones, lacksReceipts: true });
    for (let block = 0; block < 5; block++) on.node.mine({ logs: [transfer(1, other)] });
    await start();
    await done(5);
    expect([sent(), on.recorder.lines]).toEqual([[], []]);
  });

  it('does not take a node that has receipts later for one that lacks them', async () => {
    on.node.set({ bloomOf: () => zeros });
    on.node.mine({ logs: [transfer(1)] });
    let isBehind = true;
    lag(1, () => isBehind);
    await start();
    await on.recorder.until(() => on.recorder.lines.length > 0);
    expect([on.watcher?.blockNumber, on.recorder.lines[0]?.level]).toEqual([0, 'error']);
    isBehind = false;
    await done(1);
    expect(sent()).toEqual(['1']);
  });
});
