import { describe, expect, it, vi } from 'vitest';
import { type ChainReorgsOptions, chainReorgs } from '../../../src/chain/index.js';
import { chainView } from '../../../src/chain/reorgs/chain-reorgs.js';
import type { LogBlock } from '../../../src/stores/log-store.js';
import { sampleTransactionIncluded } from '../../../src/testing/index.js';
import { countsOf, eventOf, forkOf, nodeWith } from '../finality/checking.js';
import type { ScriptedNode } from '../scripted-node.js';
import { createRecorder } from '../watching.js';

const chain = '31337';

function reorgsOf(options: Partial<ChainReorgsOptions> & Pick<ChainReorgsOptions, 'rpcUrl'>) {
  const clock = { ms: 1_800_000_000_000 };
  const { lines, logger } = createRecorder();
  const reorgs = chainView({ chainId: 31337, intervalMs: false, now: () => clock.ms, logger, ...options });
  return { reorgs, lines, clock };
}

/** The block of a node's chain as a store keeps it. */
function blockAt({ chain: blocks }: ScriptedNode, number: number, hash?: string): LogBlock {
  return { chain, blockNumber: number, blockHash: hash ?? (blocks[number]?.block.hash as string) };
}

const other = (block: LogBlock) => ({ ...block, blockHash: `0x${'f0'.padStart(64, '0')}` });

describe('chainReorgs', () => {
  it('tells canonical and replaced blocks apart, and final ones from others', async () => {
    const node = nodeWith(8, 4);
    const { reorgs } = reorgsOf({ rpcUrl: node.url });
    const [low, high] = [blockAt(node, 3), blockAt(node, 7)];
    const replaced = [other(low), { ...other(high), blockHash: `0x${'f1'.padStart(64, '0')}` }] as const;
    const verdicts = await reorgs.verdicts([low, high, ...replaced]);
    expect(verdicts).toEqual(
      new Map([
        [low.blockHash, { isCanonical: true, isFinal: true }],
        [replaced[0].blockHash, { isCanonical: false, isFinal: true }],
        [high.blockHash, { isCanonical: true, isFinal: false }],
        [replaced[1].blockHash, { isCanonical: false, isFinal: false }],
      ]),
    );
  });

  it('asks once for each number that is not final, after it has learnt which are', async () => {
    const node = nodeWith(8, 4);
    const { reorgs } = reorgsOf({ rpcUrl: node.url });
    const blocks = [5, 6, 7].map((number) => blockAt(node, number));
    await reorgs.verdicts([...blocks, ...blocks.map(other)]);
    const numbers = node.calls.filter(({ method }) => method === 'eth_getBlockByNumber').map(({ params }) => params[0]);
    expect(numbers[0]).toBe('finalized');
    expect(numbers.filter((number) => number === '0x5' || number === '0x6' || number === '0x7').sort()).toEqual([
      '0x5',
      '0x6',
      '0x7',
    ]);
  });

  it.each([
    [
      'has no block at the number',
      (node: ScriptedNode) => node.answer((_, params, answer) => (params[0] === '0x7' ? null : answer)),
    ],
    [
      'fails',
      (node: ScriptedNode) =>
        node.answer(() => {
          throw new Error('down');
        }),
    ],
    [
      'is of another chain',
      (node: ScriptedNode) => node.answer((method, _, answer) => (method === 'eth_chainId' ? '0x5' : answer)),
    ],
  ])('has no verdict while the node %s', async (_, spoil) => {
    const node = nodeWith(8, 4);
    spoil(node);
    const { reorgs } = reorgsOf({ rpcUrl: node.url });
    expect(await reorgs.verdicts([other(blockAt(node, 7))])).toEqual(new Map());
    expect(await reorgs.replaced([other(blockAt(node, 7))])).toEqual(new Set());
  });

  it('needs as many nodes as agree, and takes none that contradict each other', async () => {
    const [one, two] = [nodeWith(8, 4), nodeWith(8, 4)];
    const { reorgs } = reorgsOf({ rpcUrl: [one.url, two.url], agree: 2 });
    const block = blockAt(one, 7);
    expect(await reorgs.verdicts([block])).toEqual(new Map([[block.blockHash, { isCanonical: true, isFinal: false }]]));
    two.drop(2);
    two.mine();
    expect(await reorgs.verdicts([block])).toEqual(new Map());
  });

  it('shows a delivery whose block is replaced, from one answer a second', async () => {
    const node = nodeWith(8, 4);
    const { reorgs, clock } = reorgsOf({ rpcUrl: node.url });
    const [block, gone] = [blockAt(node, 7), other(blockAt(node, 7))];
    expect(await reorgs.replaced([block, gone])).toEqual(new Set([gone.blockHash]));
    await reorgs.replaced([gone]);
    expect(countsOf(node).eth_getBlockByNumber).toBe(1);
    clock.ms += 1001;
    await reorgs.replaced([gone]);
    expect(countsOf(node).eth_getBlockByNumber).toBe(2);
    // A clock that was set back does not keep an old answer.
    clock.ms -= 3_600_000;
    await reorgs.replaced([gone]);
    expect(countsOf(node).eth_getBlockByNumber).toBe(3);
  });

  it('lets a delivery pass when the node does not answer in time', async () => {
    const node = nodeWith(8, 4);
    node.answer(() => undefined);
    const { reorgs } = reorgsOf({ rpcUrl: node.url, timeoutMs: 50 });
    expect(await reorgs.replaced([other(blockAt(node, 7))])).toEqual(new Set());
  });

  it('gives the block and the position of a log, with or without rawFields', async () => {
    const node = nodeWith(3);
    const { reorgs, lines } = reorgsOf({ rpcUrl: node.url });
    const mined = node.chain[2] as (typeof node.chain)[0];
    const event = eventOf(mined, { logIndex: 4 });
    const place = { block: blockAt(node, 2), logIndex: 4, isRemoval: false };
    expect(reorgs.placeOf(event)).toEqual(place);
    const { hash: blockHash } = mined.block;
    const transaction = { ...event.data.transaction, blockHash, blockNumber: 2, txHash: `0x${'7'.padStart(64, '0')}` };
    const without = {
      ...event,
      data: { ...event.data, transaction, event: { ...event.data.event, rawFields: undefined } },
    };
    expect(reorgs.placeOf(without as never)).toEqual(place);
    expect(reorgs.idempotencyKey(without as never)).toBe(reorgs.idempotencyKey(event));
    expect(reorgs.placeOf(eventOf(forkOf(mined), { removed: true }))).toMatchObject({ isRemoval: true });
    expect(lines).toEqual([]);
  });

  it.each([
    ['malformed rawFields', { rawFields: '{' }],
    ['no position', { rawFields: undefined, indexInLog: 1.5 }],
  ])('takes an event with %s for one without a log', async (_, fields) => {
    const node = nodeWith(3);
    const { reorgs, lines } = reorgsOf({ rpcUrl: node.url });
    const mined = node.chain[2] as (typeof node.chain)[0];
    const event = eventOf(mined);
    const { hash: blockHash } = mined.block;
    const transaction = { ...event.data.transaction, blockHash, blockNumber: 2 };
    const odd = { ...event, data: { ...event.data, transaction, event: { ...event.data.event, ...fields } } };
    expect(reorgs.placeOf(odd as never)).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  it('has no verdict while no node answers, and says why once', async () => {
    const node = nodeWith(8, 4);
    const refuse = () => {
      throw new Error('The node is starting.');
    };
    node.answer(refuse);
    const { reorgs, lines, clock } = reorgsOf({ rpcUrl: node.url });
    const why = expect.stringMatching(/^The check for re-orgs failed and is repeated: .+/);
    for (let pass = 0; pass < 2; pass++) expect(await reorgs.verdicts([blockAt(node, 7)])).toEqual(new Map());
    expect(lines.map(({ message }) => message)).toEqual([why]);
    node.answer((_, __, answer) => answer);
    expect((await reorgs.verdicts([blockAt(node, 7)])).size).toBe(1);
    node.answer(refuse);
    clock.ms += 2000;
    await reorgs.verdicts([blockAt(node, 7)]);
    expect(lines.map(({ message }) => message)).toEqual([why, why]);
  });

  it('warns once of events that have no log', async () => {
    const { reorgs, lines } = reorgsOf({ rpcUrl: 'http://127.0.0.1:1' });
    const event = sampleTransactionIncluded();
    for (let times = 0; times < 3; times++) expect(reorgs.placeOf(event)).toBeUndefined();
    expect(lines).toHaveLength(1);
  });

  it.each([
    ['no chainId', { chainId: undefined }, /chainId/],
    ['an interval of 0', { intervalMs: 0 }, /intervalMs/],
    ['an option of another function', { wait: 'redelivery' }, /wait/],
  ])('refuses %s', (_, options, message) => {
    const make = vi.fn(() => chainReorgs({ rpcUrl: 'http://127.0.0.1:1', chainId: 1, ...(options as object) }));
    expect(make).toThrow(message);
  });
});
