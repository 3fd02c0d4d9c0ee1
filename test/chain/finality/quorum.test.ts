import { describe, expect, it } from 'vitest';
import { Raw, type ScriptedNode } from '../scripted-node.js';
import { at, eventOf, FINAL, finalityOf, forkOf, nodeWith } from './checking.js';

/** Nodes of one chain; the last blocks of the last node may be of another fork. */
async function nodesOf(count: number, forked = 0) {
  const first = nodeWith(30, 20);
  const nodes = [first];
  while (nodes.length < count) {
    const node = nodeWith(0, 20);
    node.chain = first.chain;
    nodes.push(node);
  }
  const last = nodes.at(-1);
  if (forked > 0) last?.drop(forked);
  for (let block = 0; block < forked; block++) last?.mine({}, {});
  return { nodes, rpcUrl: nodes.map(({ url }) => url), chain: first.chain.slice() };
}

describe('chainFinality with several nodes', () => {
  it('asks the next node when one is away, and then that one first', async () => {
    const { nodes, rpcUrl, chain } = await nodesOf(2);
    nodes[0]?.stop();
    const { verdict } = finalityOf({ rpcUrl });
    expect(await verdict(eventOf(at(chain, 15)))).toEqual(FINAL);
    expect(await verdict(eventOf(at(chain, 13)))).toEqual(FINAL);
  });

  it('asks the next node when the first has not moved for ten minutes', async () => {
    const { nodes, rpcUrl, chain } = await nodesOf(2);
    nodes[0]?.set({ finalized: 10 });
    const { verdict, pass } = finalityOf({ rpcUrl });
    expect(await verdict(eventOf(at(chain, 15)))).toMatchObject({ status: 'pending' });
    pass(11 * 60_000);
    expect(await verdict(eventOf(at(chain, 15)))).toEqual(FINAL);
  });

  it('waits for as many nodes as agree says', async () => {
    const { nodes, rpcUrl, chain } = await nodesOf(3);
    nodes[1]?.answer(() => new Raw('', 503));
    nodes[2]?.set({ finalized: 10 });
    const { verdict } = finalityOf({ rpcUrl, agree: 2 });
    expect(await verdict(eventOf(at(chain, 8)))).toEqual(FINAL);
    expect(await verdict(eventOf(at(chain, 15)))).toEqual({ status: 'pending', retryAfterMs: 5000 });
    nodes[2]?.set({ finalized: 20 });
    expect(await verdict(eventOf(at(chain, 15)))).toEqual(FINAL);
    expect(await verdict(eventOf(forkOf(at(chain, 15))))).toEqual({ status: 'dropped' });
  });

  it.each([1, 2])('says neither final nor dropped when one of %i others contradicts', async (others) => {
    const { rpcUrl, chain } = await nodesOf(2, 18);
    const { verdict } = finalityOf({ rpcUrl: others === 1 ? rpcUrl : rpcUrl.toReversed(), agree: 2 });
    const disagree = { status: 'pending', error: { message: expect.stringContaining('different final blocks') } };
    expect(await verdict(eventOf(at(chain, 15)))).toMatchObject(disagree);
    expect(await verdict(eventOf(at(chain, 15)))).toMatchObject(disagree);
    // The chains are the same up to here, and to a block that neither has both say no.
    expect(await verdict(eventOf(at(chain, 11)))).toEqual(FINAL);
    expect(await verdict(eventOf(forkOf(at(chain, 11))))).toEqual({ status: 'dropped' });
  });

  it('settles an event after a node that contradicted the others has the same chain as they', async () => {
    const { nodes, rpcUrl, chain } = await nodesOf(2, 18);
    const { verdict } = finalityOf({ rpcUrl, agree: 2 });
    const [first, last] = nodes;
    const other = (last as ScriptedNode).chain.slice();
    expect(await verdict(eventOf(at(chain, 15)))).toMatchObject({ status: 'pending' });
    (first as ScriptedNode).chain = other;
    await verdict(eventOf(at(chain, 15)));
    await verdict(eventOf(at(chain, 15)));
    expect(await verdict(eventOf(at(chain, 15)))).toEqual({ status: 'dropped' });
    expect(await verdict(eventOf(at(other, 15)))).toEqual(FINAL);
  });
});

const key = 'k3y0123456789abcdef';
it.each<[string, Record<string, unknown>, string]>([
  ['a URL that is none', { rpcUrl: [`http://127.0.0.1/${key}`, key] }, '`rpcUrl` must be'],
  ['no URL', { rpcUrl: [] }, '`rpcUrl` must be a URL or an array of at least one'],
  ['a URL of another protocol', { rpcUrl: `ws://127.0.0.1/${key}` }, '`rpcUrl` must be the http: or https: URL'],
  ['a URL twice', { rpcUrl: [`http://127.0.0.1/${key}`, `http://127.0.0.1/${key}`] }, 'without repeated URLs'],
  ['an unknown level', { level: 'latest' }, '`level` must be'],
  ['no confirmations', { level: { confirmations: 0 } }, '`level` must be'],
  ['a misspelt level', { level: { confirmations: 2, depth: 1 } }, '`level` must be'],
  ['a chain ID of 0', { chainId: 0 }, '`chainId` must be'],
  ['no chain ID', { chainId: undefined }, '`chainId` must be'],
  ['more nodes than there are URLs', { agree: 2 }, '`agree` must be'],
  ['another way to wait', { wait: true }, '`wait` must be'],
  ['a time-out of nothing', { timeoutMs: 0 }, '`timeoutMs` must be'],
  ['a misspelt option', { confirmation: 1 }, 'has no option `confirmation`'],
])('chainFinality refuses %s, and names the option', (_, options, message) => {
  const all = { rpcUrl: `http://127.0.0.1:9/${key}`, level: 'finalized', ...options };
  const create = () => finalityOf(all as never);
  const refusal = { code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(message) };
  expect(create).toThrow(expect.objectContaining(refusal));
  expect(create).not.toThrow(key);
});
