import { padHex, toHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { chainVerdicts } from '../../../src/chain/finality/chain-finality.js';
import type { EventEmitted, TransactionIncluded } from '../../../src/index.js';
import { sampleEventEmitted } from '../../../src/testing/index.js';
import { createRandom } from '../../chaos/random.js';
import { type Mined, Raw, type ScriptedNode } from '../scripted-node.js';
import { at, eventOf, FINAL, finalityOf, forkOf, inclusionOf, misplaced, nodeWith } from './checking.js';

const HASH = padHex('0xbad', { size: 32 });

/** The node answers the header of a number with other fields, asked for by number or by hash. */
function lieAbout(node: ScriptedNode, number: number, fields: object): void {
  const isIt = (answer: unknown) => (answer as { number?: unknown } | null)?.number === toHex(number);
  node.answer((_, __, answer) => (isIt(answer) ? { ...(answer as object), ...fields } : answer));
}

describe('chainFinality makes an event wait, and neither final nor dropped, when', () => {
  it.each<[string, (node: ScriptedNode) => void, string]>([
    [
      'the node returns another hash for a block',
      (node) => lieAbout(node, 15, { hash: HASH }),
      'block.hash is not the requested hash',
    ],
    ['a block has another parent', (node) => lieAbout(node, 15, { parentHash: HASH }), 'is the parent of its block 15'],
    [
      'the node lacks a block',
      (node) => node.answer((_, [first], answer) => (first === '0xf' || String(first).length > 60 ? null : answer)),
      'is the parent of its block 16',
    ],
    ['an answer is cut', (node) => node.answer(() => new Raw('{"jsonrpc":"2.0","id":1,"resu')), 'not JSON-RPC'],
    [
      'the final block has no fields',
      (node) => node.answer((_, [first], answer) => (first === 'finalized' ? {} : answer)),
      'block.number is not',
    ],
    ['the node is of another chain', (node) => node.set({ chainId: 5 }), 'has the chain 5 instead of 31337'],
    [
      'a block is returned by hash with another hash',
      (node) => {
        node.answer((method, [first], answer) =>
          first === '0xf' ? null : method === 'eth_getBlockByHash' ? { ...(answer as object), hash: HASH } : answer,
        );
      },
      'block.hash is not the requested hash',
    ],
  ])('%s', async (_, lie, message) => {
    const node = nodeWith(30, 20);
    const { check, verdict } = finalityOf({ rpcUrl: node.url });
    lie(node);
    const [event, fork] = [eventOf(at(node.chain, 14)), eventOf(forkOf(at(node.chain, 14)))];
    for (const each of await check([event, fork])) {
      expect(each).toMatchObject({
        status: 'pending',
        retryAfterMs: 15_000,
        error: { message: expect.stringContaining(message) },
      });
      expect((each as { error: Error }).error.message).toContain(node.origin);
    }
    node.answer((__, ___, answer) => answer);
    node.set({ chainId: 31337 });
    expect([await verdict(event), await verdict(fork)]).toEqual([FINAL, { status: 'dropped' }]);
  });

  it('a node far ahead returns two blocks for a number that is deep', async () => {
    const node = nodeWith(400, 390);
    let answers = 0;
    node.answer((_, [first], answer) =>
      first === '0x64' && ++answers % 2 ? { ...(answer as object), hash: HASH } : answer,
    );
    const { verdict } = finalityOf({ rpcUrl: node.url });
    for (const mined of [at(node.chain, 100), forkOf(at(node.chain, 100), HASH), forkOf(at(node.chain, 100))]) {
      expect(await verdict(eventOf(mined))).toMatchObject({
        status: 'pending',
        error: { message: expect.stringContaining('two blocks 100') },
      });
    }
  });

  it('a node asks for a pause, which is kept to', async () => {
    const node = nodeWith(30, 20);
    node.answer(() => new Raw('', 429, { 'retry-after': '40' }));
    const { check, pass } = finalityOf({ rpcUrl: node.url });
    const event = eventOf(at(node.chain, 14));
    expect(await check([event])).toMatchObject([
      { status: 'pending', retryAfterMs: 40_000, error: { reason: 'rate-limited' } },
    ]);
    pass(10_000);
    expect(await check([event])).toMatchObject([{ status: 'pending', retryAfterMs: 30_000 }]);
    expect(node.calls).toHaveLength(1);
    node.answer((_, __, answer) => answer);
    pass(30_000);
    expect(await check([event])).toEqual([FINAL]);
  });

  it('no node is there, without a word of the URL but its origin', async () => {
    const { check } = finalityOf({ rpcUrl: 'http://127.0.0.1:9/v3/k3y0123456789abcdef' });
    const node = nodeWith(3, 2);
    const [verdict] = await check([eventOf(at(node.chain, 1))]);
    expect(verdict).toMatchObject({ status: 'pending', retryAfterMs: 15_000, error: { reason: 'unreachable' } });
    expect(JSON.stringify(verdict) + String((verdict as { error: Error }).error.stack)).not.toContain('k3y');
  });

  const error = (message: string, code = -32000) =>
    new Raw(JSON.stringify({ jsonrpc: '2.0', id: 2, error: { code, message } }));
  it.each([
    ['geth', error('finalized block not found')],
    ['Erigon and Besu', error('Unknown block', -39001)],
    ['Nethermind and reth', null],
    ['a provider under HTTP 400', new Raw('{"error":{"code":-32602,"message":"unsupported tag"}}', 400)],
  ])('the chain has no final block, in the words of %s', async (_, answer) => {
    const node = nodeWith(30);
    node.answer((__, [first], own) => (first === 'finalized' ? answer : own));
    const { check } = finalityOf({ rpcUrl: node.url });
    const [verdict] = await check([eventOf(at(node.chain, 14))]);
    expect(verdict).toMatchObject({ status: 'pending', retryAfterMs: 15_000 });
    const { message } = (verdict as { error: Error }).error;
    expect(message).toMatch(/`finalized` block.*level: \{ confirmations: n \}/);
  });

  it.each([1, 2, 3, 4, 5, 6])('the nodes behind a URL are at different heights and forks (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const node = nodeWith(60);
    const trunk = node.chain.slice();
    node.drop(12);
    const fork = [...node.chain, ...Array.from({ length: 8 }, () => node.mine())];
    const views = [
      { chain: trunk, finalized: 52, chainId: 31337 },
      { chain: trunk.slice(0, 54), finalized: 50, chainId: 31337 },
      // Lags, on blocks that a re-org replaced. Its final block is older than the re-org.
      { chain: fork, finalized: 40, chainId: 31337 },
    ];
    node.behind(() => random.pick(views) as (typeof views)[0]);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    const events = [45, 48, 49, 50, 51, 52, 53].flatMap((number) => [
      { event: eventOf(at(trunk, number)), expected: number <= 52 ? 'final' : 'pending' },
      { event: eventOf(at(fork, number)), expected: number > 52 ? 'pending' : number < 49 ? 'final' : 'dropped' },
    ]);
    const open = new Set(events);
    for (let round = 0; round < 40; round++) {
      for (const each of open) {
        const { status } = await verdict(each.event);
        if (status === 'pending') continue;
        expect(status).toBe(each.expected);
        open.delete(each);
      }
    }
    // The load balancer only makes them wait.
    expect([...open].map(({ expected }) => expected)).toEqual(['pending', 'pending']);
  });
});

const hash = padHex('0x5', { size: 32 });
const because = (message: string) => ({ status: 'pending', error: { message: expect.stringContaining(message) } });

describe('chainFinality says pending, and why', () => {
  type Chain = readonly Mined[];
  const blockless = (transaction: object) =>
    sampleEventEmitted({ data: { event: { rawFields: undefined }, transaction } });
  const nothing = { blockHash: undefined, blockNumber: undefined };
  /** The node answers requests for blocks with these first parameters, from the second time on if it is a tag. */
  const answering = (node: ScriptedNode, first: RegExp, how: (answer: object) => unknown) => {
    let times = 0;
    node.answer((_, [given], answer) =>
      first.test(String(given)) && ++times > (given === 'finalized' ? 1 : 0) ? how(answer as object) : answer,
    );
  };

  it.each<
    [
      string,
      (chain: Chain) => Parameters<typeof eventOf>[0] | EventEmitted | TransactionIncluded,
      string,
      (((node: ScriptedNode) => void) | undefined)?,
      object?,
    ]
  >([
    ['a transaction without a hash', () => inclusionOf({}), '`data` has neither'],
    ['an event without a block', () => blockless(nothing), '`rawFields` is absent'],
    ['a block far beyond the final one', (chain) => misplaced(at(chain, 590), 2e7), 'Check that it is not syncing'],
    [
      'a deep block that the node lacks',
      (chain) => at(chain, 100),
      'has no block 100.',
      (node) => answering(node, /^0x64$/, () => null),
    ],
    [
      'a deep block while the final one falls',
      (chain) => at(chain, 100),
      'lower than before',
      (node) => answering(node, /^finalized$/, () => at(node.chain, 300).block),
    ],
    [
      'a block below many that the node has by hash alone',
      (chain) => at(chain, 560),
      'is the parent of its block 574',
      (node) => answering(node, /^0x2..$/, () => null),
    ],
    [
      'a node without blocks',
      (chain) => at(chain, 560),
      'has no `latest` block.',
      (node) => answering(node, /^latest$/, () => null),
      { level: { confirmations: 1 } },
    ],
  ])('of %s', async (_, given, message, lie, options) => {
    const node = nodeWith(600, 590);
    const { verdict } = finalityOf({ rpcUrl: node.url, ...options });
    lie?.(node);
    const event = given(node.chain);
    expect(await verdict('block' in event ? eventOf(event) : event)).toMatchObject(because(message));
  });

  it('of the block after the next, for the time that two blocks take, while nobody knows how long', async () => {
    const node = nodeWith(30, 20);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    node.answer((_, [first], answer) => (/^0x/.test(String(first)) ? new Raw('', 503) : answer));
    expect(await verdict(eventOf(at(node.chain, 22)))).toMatchObject({ status: 'pending', retryAfterMs: 24_000 });
  });

  it('of one event, and final of others', async () => {
    const node = nodeWith(30, 20);
    const { check, verdict } = finalityOf({ rpcUrl: node.url });
    const final = eventOf(at(node.chain, 14));
    answering(node, /^0x.{64}$/, () => new Raw('', 503));
    expect(await check([final, eventOf(forkOf(at(node.chain, 15)))])).toMatchObject([FINAL, because('HTTP 503')]);
    node.answer((__, ___, answer) => answer);
    const { number, hash: blockHash } = at(node.chain, 16).block;
    expect(await verdict(blockless({ blockHash, blockNumber: Number(number) }))).toEqual(FINAL);
    expect(await check([final, eventOf(at(node.chain, 17))])).toEqual([FINAL, FINAL]);
  });

  it('of an event after another block became final at its number, and then looks again', async () => {
    const node = nodeWith(30, 20);
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    expect(await verdict(eventOf(at(node.chain, 18)))).toEqual(FINAL);
    node.drop(15);
    for (let block = 0; block < 20; block++) node.mine();
    node.set({ finalized: 25 });
    expect(await verdict(eventOf(at(node.chain, 17)))).toMatchObject(because('A different block is now final at'));
    pass(60_000);
    expect(await verdict(eventOf(at(node.chain, 17)))).toEqual(FINAL);
  });

  it('of a transaction whose receipt is of another, or of a block that is not of the chain', async () => {
    const node = nodeWith(5, 4);
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    const receipt = { transactionHash: hash, blockNumber: '0x2', blockHash: padHex('0xbad', { size: 32 }) };
    const answerWith = (result: unknown) =>
      node.answer((method, _, answer) => (method === 'eth_getTransactionReceipt' ? result : answer));
    answerWith({ ...receipt, transactionHash: padHex('0x6', { size: 32 }) });
    expect(await verdict(inclusionOf({ tx: { hash } }))).toMatchObject(because('that of the requested transaction'));
    pass(60_000);
    answerWith(receipt);
    expect(await verdict(inclusionOf({ tx: { hash } }))).toMatchObject(because('that is not of its chain'));
    answerWith({ ...receipt, blockHash: at(node.chain, 2).block.hash });
    pass(60_000);
    expect(await verdict(inclusionOf({ tx: { hash } }))).toEqual({ status: 'final' });
  });

  it('if nodes take longer than a check may, one after the other', async () => {
    const nodes = Array.from({ length: 5 }, () => nodeWith(3, 2));
    for (const node of nodes) node.answer(() => new Promise(() => {}));
    const rpcUrl = nodes.map(({ url }) => url);
    const finality = chainVerdicts({ rpcUrl, level: 'finalized', chainId: 31337, timeoutMs: 60 });
    const [verdict] = await finality.check([eventOf(at((nodes[0] as (typeof nodes)[0]).chain, 1))]);
    expect(verdict).toMatchObject({
      status: 'pending',
      error: { message: expect.stringMatching(/longer than 180 ms|no answer/) },
    });
  });
});
