import { type Hex, padHex } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../../src/chain/index.js';
import { createNode, type ScriptedNode, withoutLogs } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { amountOf, keptCursor, noting, readAll, run, sourceOf } from './reconciling.js';

type Answer = Record<string, unknown>;

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
  for (let value = 1; value <= 6; value += 2) node.mine({ logs: [transfer(value)] }, { logs: [transfer(value + 1)] });
  node.mine();
});

const all = [1, 2, 3, 4, 5, 6];
const other = padHex('0xabc', { size: 20 });

/** Changes what the node answers for logs of a range. */
function change(how: (logs: Answer[]) => unknown) {
  node.answer((method, params, answer) => {
    const isRange = method === 'eth_getLogs' && (params[0] as Answer).fromBlock !== undefined;
    return isRange ? how(structuredClone(answer) as Answer[]) : answer;
  });
}

/** Other amounts in the logs of an answer. */
function otherData(method: string, answer: unknown): unknown {
  return method === 'eth_getLogs' ? (answer as Answer[]).map((log) => ({ ...log, data: padHex('0x63') })) : answer;
}

async function amounts(options = {}) {
  const { source, lines } = sourceOf(node, options);
  const { events } = await readAll(source);
  return { amounts: events.map(amountOf), lines: lines.map(({ message }) => message) };
}

describe('logs of a range', () => {
  it.each<[string, (logs: Answer[]) => unknown]>([
    ['out of order', (logs) => logs.reverse()],
    ['repeated', (logs) => [...logs, ...logs]],
    ['among removed ones', (logs) => [{ ...logs[0], logIndex: '0x99', removed: true }, ...logs]],
    ['without those of a block', (logs) => logs.slice(2)],
    ['missing altogether', () => []],
    ['without one of a block of which there are others', (logs) => logs.filter((_, index) => index !== 3)],
    ['cut within a block, the newest first', (logs) => logs.reverse().slice(0, 5)],
    [
      'without one of a block, and others repeated',
      (logs) => [...logs.slice(0, 3), ...logs.slice(4), ...logs.slice(4)],
    ],
  ])('that are %s are read once each, in order', async (_, how) => {
    change(how);
    expect((await amounts()).amounts).toEqual(all);
  });

  it.each<[string, (logs: Answer[]) => unknown]>([
    ['contradict each other', (logs) => [...logs, { ...logs[0], data: '0x01' }]],
    ['are of two blocks with one number', (logs) => [...logs, { ...logs[0], blockHash: padHex('0x1', { size: 32 }) }]],
    ['are null', () => null],
  ])('that %s are asked for again, block by block', async (_, how) => {
    change(how);
    expect((await amounts()).amounts).toEqual(all);
  });
});

describe('a node', () => {
  it('whose block changes between two calls is asked again', async () => {
    const { receiver, handled } = noting();
    let isFirst = true;
    node.answer((method, params, answer) => {
      if (method !== 'eth_getLogs' || !isFirst || !(params[0] as Answer).fromBlock) return answer;
      isFirst = false;
      node.drop(2);
      node.mine({ logs: [transfer(7)] });
      node.mine();
      return answer;
    });
    const { report, lines } = await run(node, receiver);
    expect(report.stopped).toBeUndefined();
    expect(handled).toEqual([1, 2, 3, 4, 7]);
    expect(lines[0]?.message).toContain('was replaced while it was read');
  });

  it.each([
    [0, 'Block 3 is not an ancestor of the final block.'],
    [300, 'Block 3 was replaced while it was read.'],
  ])('that answers once for a block that was replaced is not believed, %i blocks further', async (more, message) => {
    const replaced = node.chain[3];
    node.drop(2);
    node.mine();
    node.mine();
    for (let count = 0; count < more; count++) node.mine();
    node.answer((method, params, answer) => {
      const isAsked = method === 'eth_getBlockByNumber' && params[0] === '0x3' && params[1] === true;
      return isAsked ? replaced?.block : answer;
    });
    // A source of transactions asks for blocks alone.
    const { source } = sourceOf(node, { contracts: [], wallets: [other] });
    await expect(readAll(source, 3, 3)).rejects.toThrow(message);
  });

  it('that does not have a final block is asked again, and never believed', async () => {
    const { receiver, handled } = noting();
    let answers = 0;
    node.answer((method, params, answer) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x2' && answers++ < 2 ? null : answer,
    );
    const { report, lines } = await run(node, receiver);
    expect(report).toMatchObject({ repaired: 6, to: 4 });
    expect(handled).toEqual(all);
    expect(lines[0]?.message).toContain('The node does not have block 2, which is final.');
  });

  it('with blocks that do not follow each other is not believed', async () => {
    const { receiver, handled } = noting();
    node.answer((method, params, answer) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== '0x3') return answer;
      return { ...(answer as Answer), parentHash: padHex('0xbad', { size: 32 }) };
    });
    const { report } = await run(node, receiver);
    expect(report.stopped?.reason).toBe('source');
    expect(report.stopped?.error?.message).toContain('Block 3 does not follow the block before it.');
    expect([handled, report.to]).toEqual([[], -1]);
  });

  it.each([
    ['excludes logs', padHex('0x', { size: 256 })],
    ['is absent', undefined],
  ])(
    'of a chain whose bloom filter %s is asked for every block by its hash, and says so once',
    async (_, logsBloom) => {
      node.answer((method, _, answer) => {
        return method === 'eth_getBlockByNumber' ? { ...(answer as Answer), logsBloom } : answer;
      });
      const { amounts: read, lines } = await amounts({ maxRange: 2 });
      expect(read).toEqual(all);
      expect(lines.filter((line) => line.includes('requested by block hash from now on'))).toHaveLength(1);
    },
  );

  it.each<[string, unknown]>([
    ['another number', { number: '0x9' }],
    ['no hash', { hash: '0x' }],
  ])('with %s in its blocks is not believed', async (_, fields) => {
    const { receiver, handled } = noting();
    node.answer((method, _, answer) => {
      const isIt = method.startsWith('eth_getBlockBy') && (answer as Answer).number === '0x2';
      return isIt ? { ...(answer as Answer), ...(fields as Answer) } : answer;
    });
    const { report } = await run(node, receiver);
    expect([handled, report.stopped?.reason, report.stopped?.error?.name]).toEqual([[], 'source', 'RpcError']);
  });

  it('of another chain is refused', async () => {
    const { receiver } = noting();
    const error = await run(node, receiver, { sourceOptions: { chainId: 1 } }).catch((caught) => caught);
    expect([error.code, error.message]).toEqual([
      'ERR_WEBHOOK_CONFIG',
      `The node at ${node.origin} has the chain 31337 instead of 1. Correct \`rpcUrl\` or \`chainId\`.`,
    ]);
  });

  it.each([
    ...[null, "'finalized' tag not supported on pre-merge network", 'finalized block not found', 'Unknown block'],
  ])('without a final block says so, and offers confirmations: %s', async (message) => {
    const { receiver } = noting();
    node.answer((method, params, answer) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'finalized') return answer;
      return message && Promise.reject(new Error(message));
    });
    const { report } = await run(node, receiver, { sourceOptions: { level: 'finalized' } });
    expect(report.stopped?.reason).toBe('source');
    expect(report.stopped?.error?.message).toMatch(/`finalized` block/);
    expect(report.stopped?.error?.message).toContain('If the chain has none, set `level: { confirmations: n }`.');
  });

  it('whose finalized block stays 0 is warned of once, and offers confirmations', async () => {
    const { receiver } = noting();
    node.set({ finalized: 0 });
    node.answer((_, [which], answer) => (which === 'latest' ? { ...(answer as object), number: '0xf4240' } : answer));
    const { source, lines } = sourceOf(node, { level: 'finalized' });
    for (let time = 0; time < 2; time++) {
      expect(await reconcile({ source, receiver, from: 0, cursor: keptCursor() })).toMatchObject({ to: 0, found: 0 });
    }
    expect(lines.filter(({ message }) => /`finalized` block is still 0.*confirmations/.test(message))).toHaveLength(1);
  });

  it('that is away ends the run after six failures, with what was done before', async () => {
    const { receiver, handled } = noting();
    const { hash } = node.chain[3]?.block ?? {};
    node.answer((_, params, answer) => {
      if ((params[0] as Answer | undefined)?.blockHash === hash) throw new Error('away');
      return answer;
    });
    const { report, lines, cursor } = await run(node, receiver, { sourceOptions: { maxRange: 1 } });
    expect(report).toMatchObject({ to: 2, repaired: 4, stopped: { reason: 'source' } });
    expect([handled, cursor.state.next, lines.length]).toEqual([[1, 2, 3, 4], 3, 5]);
    node.answer((_, __, answer) => answer);
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ from: 3, to: 4, repaired: 2 });
  });
});

describe('several nodes', () => {
  let second: ScriptedNode;
  let third: ScriptedNode;
  beforeEach(() => {
    [second, third] = [createNode(), createNode()];
    for (const each of [second, third]) each.chain = node.chain;
  });

  const emptyRanges = (each: ScriptedNode) =>
    each.answer((method, params, answer) => {
      if (method !== 'eth_getLogs') return answer;
      return (params[0] as { fromBlock?: Hex }).fromBlock ? [] : answer;
    });

  it('take the place of one that is away', async () => {
    const { source } = sourceOf([node, second]);
    node.answer(() => {
      throw new Error('away');
    });
    expect((await readAll(source)).events.map(amountOf)).toEqual(all);
  });

  it('agree on the logs: one that leaves out some is asked for each block by its hash', async () => {
    emptyRanges(second);
    const { source } = sourceOf([node, second], { agree: 2 });
    expect((await readAll(source)).events.map(amountOf)).toEqual(all);
  });

  it.each<[string, string, (method: string, answer: unknown) => unknown]>([
    ['that do not agree on a block', 'The nodes have different logs in block 2.', otherData],
    ['of which one hides logs of its bloom filter', 'The node did not prove which logs block 2', withoutLogs],
  ])('%s stop the run', async (_, message, how) => {
    const hash = node.chain[2]?.block.hash as Hex;
    second.answer((method, [first], answer) => {
      const { blockHash, fromBlock } = Object(first) as Answer;
      return first === hash || blockHash === hash || fromBlock ? how(method, answer) : answer;
    });
    const { receiver, handled } = noting();
    const { report } = await run([node, second], receiver, { sourceOptions: { agree: 2 } });
    expect([handled, report.stopped?.reason]).toEqual([[], 'source']);
    expect(report.stopped?.error?.message).toContain(message);
  });

  it('that do not agree on the final block stop the run', async () => {
    second.drop(1);
    second.mine();
    const { receiver } = noting();
    const { report } = await run([node, second], receiver, { sourceOptions: { agree: 2 } });
    expect(report.stopped?.error?.message).toContain('The nodes have different final blocks 4.');
  });

  it('that agree suffice if another one is away', async () => {
    node.answer(() => {
      throw new Error('away');
    });
    const { source } = sourceOf([node, second, third], { agree: 2 });
    expect((await readAll(source)).events.map(amountOf)).toEqual(all);
    const { receiver } = noting();
    const { report } = await run([node, second], receiver, { sourceOptions: { agree: 2 } });
    expect(report.stopped?.reason).toBe('source');
  });
});
