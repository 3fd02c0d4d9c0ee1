import { padHex } from 'viem';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ReconcileSource, reconcile } from '../../../src/chain/index.js';
import { createNode, Raw, type ScriptedNode } from '../scripted-node.js';
import { token, transfer } from '../watching.js';
import { chainId, keptCursor, noting, run } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
  for (let value = 1; value <= 3; value++) node.mine({ logs: [transfer(value)] });
});

it('an event on the retry list whose block the node no longer has stays there, and does not block the others', async () => {
  let isBroken = true;
  const { receiver, handled } = noting({ fails: (value) => isBroken && value !== 3 });
  const { cursor } = await run(node, receiver);
  isBroken = false;
  node.mine({ logs: [transfer(4)] });
  node.answer((method, params, answer) => {
    if (method === 'eth_getBlockByNumber' && params[0] === '0x1') throw new Error('pruned history unavailable');
    return answer;
  });
  const { report, lines } = await run(node, receiver, { cursor });
  expect(report).toMatchObject({ to: 4, repaired: 2, failed: 1, left: 1, stopped: undefined });
  expect(handled).toEqual([3, 2, 4]);
  expect(cursor.state).toMatchObject({ next: 5, retry: [[expect.any(String), 1]] });
  expect(lines.map(({ message }) => message).join()).toContain('pruned history unavailable');
  node.answer((_, __, answer) => answer);
  expect((await run(node, receiver, { cursor })).report).toMatchObject({ repaired: 1, left: 0 });
  expect(handled).toEqual([3, 2, 4, 1]);
});

it('a node that asks for a pause of a day ends the run', async () => {
  node.answer(() => new Raw('{}', 429, { 'retry-after': '86400' }));
  const { receiver } = noting();
  const { report } = await run(node, receiver);
  expect(report.stopped).toMatchObject({ reason: 'source', error: { retryAfterMs: 86_400_000 } });
});

it.each([
  ['behind the cursor', 0],
  ['before `from`', 9],
])('a chain whose last final block is %s is not read, with a warning', async (_, from) => {
  const { receiver } = noting();
  const { cursor } = await run(node, receiver);
  node.drop(2);
  const { report, lines } = await run(node, receiver, { cursor, from });
  const next = Math.max(from, 4);
  expect(report).toMatchObject({ to: next - 1, final: 1, found: 0 });
  expect(lines.map(({ message }) => message)).toEqual([
    `The source \`chain\` ends at position 1, but position ${next} is next. Nothing is read until the source reaches it.`,
  ]);
});

describe('a cursor', () => {
  const other = padHex('0xabc', { size: 20 });

  it('is refused when a contract or a wallet was added: what it did before would be missed', async () => {
    const { receiver } = noting();
    const { cursor } = await run(node, receiver);
    const { text } = cursor;
    for (const added of [{ contracts: [token, { ...token, address: other }] }, { wallets: [other] }]) {
      const another = run(node, receiver, { cursor, sourceOptions: added });
      await expect(another).rejects.toThrow('The cursor belongs to other contracts or wallets');
    }
    expect(cursor.text).toBe(text);
  });

  it('never gets a position that it could not be read with', async () => {
    const { receiver } = noting();
    const cursor = keptCursor();
    const end = Number.MAX_SAFE_INTEGER;
    const source: ReconcileSource = {
      name: 'ids',
      open: async () => ({
        chainId,
        end,
        async *read() {
          yield { to: end, entries: [] };
        },
      }),
    };
    await expect(reconcile({ source, receiver, from: end - 1, cursor })).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
    });
    expect(cursor.text).toBeUndefined();
  });
});
