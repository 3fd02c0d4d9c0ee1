import { describe, expect, it } from 'vitest';
import { Raw, type ScriptedNode } from '../scripted-node.js';
import { at, eventOf, FINAL, finalityOf, forkOf, inclusionOf, misplaced, nodeWith } from './checking.js';

const pending = (message: string, retryAfterMs = 300_000) => ({
  status: 'pending',
  retryAfterMs,
  error: { message: expect.stringContaining(message) },
});
/** The node answers so many requests, and then asks for a pause. */
function limit(node: ScriptedNode, requests: number): void {
  let left = requests;
  node.answer((_, __, answer) => (left-- > 0 ? answer : new Raw('', 429, { 'retry-after': '1' })));
}

describe('chainFinality drops nothing', () => {
  it('whose block number and hash contradict each other', async () => {
    const node = nodeWith(30, 20);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    const mined = at(node.chain, 13);
    for (const number of [3, 14]) {
      const why = pending(`at 13, but the event says ${number}`);
      expect(await verdict(eventOf(misplaced(mined, number)))).toMatchObject(why);
      expect(await verdict(eventOf(misplaced(mined, number), { removed: true }))).toMatchObject(why);
      const data = { blockHash: mined.block.hash, blockNumber: number };
      expect(await verdict(inclusionOf(data))).toMatchObject(why);
    }
    expect(await verdict(eventOf(mined))).toEqual(FINAL);
  });

  it.each([1, 3])('near the head of a node on another fork, at %i confirmations', async (confirmations) => {
    const node = nodeWith(20);
    const { verdict } = finalityOf({ rpcUrl: node.url, level: { confirmations } });
    const trunk = node.chain.slice();
    const event = eventOf(at(trunk, 18));
    const removal = eventOf(at(trunk, 18), { removed: true });
    node.drop(3);
    for (let block = 0; block < 30; block++) node.mine();
    const fork = node.chain.slice();
    for (const each of [event, removal]) expect(await verdict(each)).toMatchObject({ status: 'pending' });
    node.chain = trunk;
    for (let block = 0; block < 40; block++) node.mine();
    expect(await verdict(event)).toMatchObject({ status: 'pending' });
    expect(await verdict(event)).toEqual(FINAL);
    node.chain = fork;
    while (node.chain.length < 19 + 32) node.mine();
    const gone = eventOf(at(trunk, 19));
    const later = finalityOf({ rpcUrl: node.url, level: { confirmations } });
    expect(await later.verdict(gone)).toEqual({ status: 'dropped' });
  });

  it('by an error for a hash, unless it says that there is no such block', async () => {
    const node = nodeWith(30, 20);
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    const event = eventOf(forkOf(at(node.chain, 14)));
    const failing = (raw: Raw) => node.answer((method, _, answer) => (method === 'eth_getBlockByHash' ? raw : answer));
    failing(new Raw('', 503));
    expect(await verdict(event)).toMatchObject(pending('HTTP 503', 15_000));
    pass(15_000);
    failing(new Raw('{"jsonrpc":"2.0","id":0,"error":{"code":-39001,"message":"Unknown block"}}'));
    expect(await verdict(event)).toEqual({ status: 'dropped' });
  });
});

describe('with chainFinality, no event waits for ever', () => {
  it.each([
    ['far below the final block', (node: ScriptedNode) => [at(node.chain, 100), at(node.chain, 101)], FINAL],
    ['that was replaced', (node: ScriptedNode) => [forkOf(at(node.chain, 540))], { status: 'dropped' }],
    ['that was replaced long ago', (node: ScriptedNode) => [forkOf(at(node.chain, 100))], { status: 'dropped' }],
  ])('at a node that answers few requests at a time, for a block %s', async (_, blocks, expected) => {
    const node = nodeWith(600, 590);
    const { check, pass } = finalityOf({ rpcUrl: node.url });
    const events = blocks(node).map((block) => eventOf(block));
    for (let round = 0; round < 40; round++) {
      limit(node, 8);
      pass(20_000);
      const verdicts = await check(events);
      if (verdicts.every(({ status }) => status === expected.status)) return;
    }
    expect.unreachable();
  });

  it('after the clock was set back', async () => {
    const node = nodeWith(30, 20);
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    expect(await verdict(eventOf(at(node.chain, 22)))).toMatchObject({ status: 'pending' });
    pass(-86_400_000);
    node.set({ finalized: 25 });
    expect(await verdict(eventOf(at(node.chain, 22)))).toEqual(FINAL);
    limit(node, 0);
    expect(await verdict(eventOf(at(node.chain, 25)))).toMatchObject({ status: 'pending' });
    pass(-86_400_000);
    limit(node, 99);
    expect(await verdict(eventOf(at(node.chain, 25)))).toEqual(FINAL);
  });

  it.each([429, 503])('when a node asks for a pause of years with HTTP %i', async (status) => {
    const node = nodeWith(30, 20);
    node.answer(() => new Raw('', status, { 'retry-after': '1000000000' }));
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    const event = eventOf(at(node.chain, 14));
    expect(await verdict(event)).toMatchObject(pending(`HTTP ${status}`));
    node.answer((_, __, answer) => answer);
    pass(300_000);
    expect(await verdict(event)).toEqual(FINAL);
  });
});
