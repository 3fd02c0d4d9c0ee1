import type { Hex } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChainSourceOptions } from '../../../src/chain/index.js';
import { createNode, Raw, type ScriptedNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { amountOf, noting, readAll, run, sourceOf } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
  for (let value = 1; value <= 40; value++) node.mine({ logs: [transfer(value)] });
});

const all = Array.from({ length: 40 }, (_, at) => at + 1);

/** The length of a range that the node was asked for. */
function lengthOf(params: readonly unknown[]): number {
  const { fromBlock, toBlock } = params[0] as { fromBlock?: Hex; toBlock?: Hex };
  return fromBlock ? Number(toBlock) - Number(fromBlock) + 1 : 0;
}
const lengths = () => node.calls.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => lengthOf(params));

/** Refuses ranges longer than `most`. */
function limit(most: number, refusal: () => unknown) {
  node.answer((method, params, answer) => {
    if (method !== 'eth_getLogs' || lengthOf(params) <= most) return answer;
    return refusal();
  });
}

const refusal = (message: string, code = -32000, status = 200) =>
  new Raw(JSON.stringify({ jsonrpc: '2.0', id: node.calls.length, error: { code, message } }), status);

describe('a range that a node refuses', () => {
  it.each([
    ['geth', -32000, 'query returned more than 10000 results'],
    ['Erigon', -32000, 'query block range exceeds server limit, narrow your filter: 1000'],
    [
      'Alchemy',
      -32602,
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0x133e71]',
    ],
    ['Infura', -32005, 'query returned more than 10000 results. Try with this block range [0xCB3D, 0x7B737].'],
    ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range'],
    ['Tenderly', -32602, 'invalid params'],
  ])('is halved, whatever the words: %s %i %s', async (_, code, message) => {
    limit(5, () => refusal(message, code));
    const { events } = await readAll(sourceOf(node).source);
    expect(events.map(amountOf)).toEqual(all);
    expect(Math.max(...lengths())).toBe(41);
  });

  it.each<[string, () => unknown, Partial<ChainSourceOptions>?]>([
    ['HTTP 400', () => refusal('query returned more than 10000 results', -32005, 400)],
    ['HTTP 413', () => new Raw('<html>Payload Too Large</html>', 413)],
    ['a cut answer', () => new Raw('{"jsonrpc":"2.0","id":1,"result":[{"addr')],
    ['no answer in time', () => undefined, { timeoutMs: 1000 }],
  ])('is halved for %s', { timeout: 20_000 }, async (_, how, options) => {
    limit(20, how);
    const { events } = await readAll(sourceOf(node, options).source);
    expect(events.map(amountOf)).toEqual(all);
  });

  it('is an error if it has one block', async () => {
    limit(-1, () => refusal('query returned more than 10000 results'));
    await expect(readAll(sourceOf(node).source)).rejects.toThrow('eth_getLogs at');
  });

  it('is not halved when the node asks for a pause, which it gets', async () => {
    let refused = 0;
    const { receiver, handled } = noting();
    node.answer((method, _, answer) => {
      if (method !== 'eth_getLogs' || refused++ > 1) return answer;
      return new Raw('{}', 429, { 'retry-after': '0' });
    });
    const { report, lines } = await run(node, receiver, { retryDelayMs: 60_000 });
    expect(report).toMatchObject({ repaired: 40, to: 40 });
    expect(handled).toEqual(all);
    expect(lengths().filter((length) => length > 0)).toEqual([41, 41, 41]);
    expect(lines.map(({ fields }) => fields.delayMs)).toEqual([0, 0]);
  });
});
