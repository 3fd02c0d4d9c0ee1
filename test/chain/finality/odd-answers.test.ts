import { padHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { chainFinality } from '../../../src/chain/index.js';
import type { Mined } from '../scripted-node.js';
import { eventOf, finalityOf, inclusionOf, nodeWith } from './checking.js';

const at = (chain: readonly Mined[], number: number) => chain[number] as Mined;
const hash = padHex('0x5', { size: 32 });
const because = (message: string) => ({ status: 'pending', error: { message: expect.stringContaining(message) } });

describe('chainFinality says pending, and why', () => {
  it('of a transaction that says neither its block nor its hash', async () => {
    const node = await nodeWith(3, 2);
    const { verdict } = finalityOf({ rpcUrl: node.url });
    expect(await verdict(inclusionOf({}))).toMatchObject(
      because('neither `blockHash` and `blockNumber` nor `tx.hash`'),
    );
    expect(node.calls).toEqual([]);
  });

  it('of a transaction whose receipt is of another, or of a block that is not of the chain', async () => {
    const node = await nodeWith(5, 4);
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

  it('if the node has no block at all', async () => {
    const node = await nodeWith(3);
    node.answer((method, params, answer) =>
      method.startsWith('eth_getBlock') && params[0] === 'latest' ? null : answer,
    );
    const { verdict } = finalityOf({ rpcUrl: node.url, level: { confirmations: 1 } });
    expect(await verdict(eventOf(at(node.chain, 2)))).toMatchObject(because('has no block.'));
  });

  it('if the check is aborted before it starts', async () => {
    const node = await nodeWith(3, 2);
    const { check } = finalityOf({ rpcUrl: node.url });
    const [verdict] = await check([eventOf(at(node.chain, 1))], { signal: AbortSignal.abort() });
    expect(verdict).toMatchObject(because('was aborted by the caller'));
  });

  it('if nodes take longer than a check may, one after the other', async () => {
    const nodes = await Promise.all([nodeWith(3, 2), nodeWith(3, 2), nodeWith(3, 2), nodeWith(3, 2), nodeWith(3, 2)]);
    for (const node of nodes) node.answer(() => new Promise(() => {}));
    const rpcUrl = nodes.map(({ url }) => url);
    const finality = chainFinality({ rpcUrl, level: 'finalized', chainId: 31337, timeoutMs: 60 });
    const [verdict] = await finality.check([eventOf(at((nodes[0] as (typeof nodes)[0]).chain, 1))]);
    expect(verdict).toMatchObject({
      status: 'pending',
      error: { message: expect.stringMatching(/longer than 180 ms|no answer/) },
    });
  });

  it('with the reasons of both nodes, when they differ', async () => {
    const [one, other] = await Promise.all([nodeWith(5, 4), nodeWith(5, 4)]);
    one.answer(() => Promise.reject(new Error('first reason')));
    other.answer(() => Promise.reject(new Error('second reason')));
    const { verdict } = finalityOf({ rpcUrl: [one.url, other.url], agree: 2 });
    const said = await verdict(eventOf(at(one.chain, 1)));
    expect(said).toMatchObject(because('first reason'));
    expect(said).toMatchObject(because('second reason'));
  });

  it('of a block deep below the final one that the node does not have, or has twice', async () => {
    const node = await nodeWith(300, 299);
    const { verdict, pass } = finalityOf({ rpcUrl: node.url });
    const { number } = at(node.chain, 7).block;
    const answerBlock = (how: (answer: unknown) => unknown) =>
      node.answer((method, params, answer) =>
        method === 'eth_getBlockByNumber' && params[0] === number ? how(answer) : answer,
      );
    answerBlock(() => null);
    expect(await verdict(eventOf(at(node.chain, 7)))).toMatchObject(because('has no block 7'));
    pass(60_000);
    let asked = 0;
    answerBlock((answer) => ({ ...(answer as object), hash: padHex(`0x${(++asked).toString(16)}`, { size: 32 }) }));
    expect(await verdict(eventOf(at(node.chain, 7)))).toMatchObject({ status: 'pending' });
  });
});
