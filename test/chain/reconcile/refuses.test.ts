import { beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../../src/chain/index.js';
import { type LeaseStore, memoryStore } from '../../../src/index.js';
import { createNode, type ScriptedNode } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { chainId, keptCursor, noting, run, sourceOf } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
  for (let value = 1; value <= 6; value += 2) node.mine({ logs: [transfer(value)] }, { logs: [transfer(value + 1)] });
});

describe('reconcile refuses', () => {
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no error',
      (error) => `${error.code}: ${error.message}`,
    );

  it.each([
    ['the default key', undefined],
    ['another key', ({ id }: { id: string }) => `mine:${id}`],
  ])('%s, before it handles anything', async (_, idempotencyKey) => {
    const { receiver, handled } = noting({ idempotencyKey } as never);
    const cursor = keptCursor();
    expect(await refusal(run(node, receiver, { cursor }))).toContain(
      'ERR_WEBHOOK_CONFIG: `reconcile` needs a receiver that identifies events by their place on the chain',
    );
    expect([handled, cursor.text]).toEqual([[], undefined]);
  });

  it('events older than what the store remembers', async () => {
    const { receiver, handled } = noting({ store: { ...memoryStore(), rememberedSince: () => 1000 * 1_799_999_943 } });
    const { cursor } = await run(node, receiver, { from: 3 });
    expect(handled).toEqual([5, 6]);
    expect(await refusal(run(node, receiver, { from: 0 }))).toMatch(
      /^ERR_WEBHOOK_CONFIG: Events since 2027-01-15T08:00:01\.000Z could take effect twice: the receiver's store only remembers keys since 2027-01-15T07:59:03\.000Z \(with 60 s for clock differences\)\. Set `from`/,
    );
    expect([handled, cursor.state.next]).toEqual([[5, 6], 4]);
  });

  it('a receiver that cannot tell, unless `retentionMs` is set', async () => {
    const { rememberedSince: _, ...store } = memoryStore() as LeaseStore;
    const { receiver } = noting({ store });
    expect(await refusal(run(node, receiver))).toMatch(/Set `retentionMs` to the time that the store keeps keys\.$/);
    expect((await run(node, receiver, { retentionMs: 604_800_000 })).report).toMatchObject({ repaired: 6 });
  });

  it('an event on the retry list that has become too old, which stays there', async () => {
    let since = 0;
    const { receiver } = noting({
      fails: (value) => value === 2,
      store: { ...memoryStore(), rememberedSince: () => since },
    });
    const { cursor } = await run(node, receiver);
    since = 1000 * 1_900_000_000;
    const { report } = await run(node, receiver, { cursor });
    expect(report).toMatchObject({ failed: 1, left: 1, entries: [{ error: { code: 'ERR_WEBHOOK_CONFIG' } }] });
  });

  it.each([
    ['another source', { v: 1, source: 'service', next: 3, retry: [] }, 'The cursor belongs to another source'],
    ['other contracts', { v: 1, source: 'chain', next: 3, retry: [] }, 'The cursor belongs to other contracts'],
    ['other text', { next: 3 }, 'The cursor contains text that `reconcile` did not write.'],
    ['a broken list', { v: 1, source: 'chain', next: 1, retry: [[1, 'x']] }, 'The cursor contains text that'],
  ])('the cursor of %s', async (_, state, message) => {
    const cursor = keptCursor(JSON.stringify(state));
    expect(await refusal(run(node, noting().receiver, { cursor }))).toContain(`ERR_WEBHOOK_CONFIG: ${message}`);
    expect(cursor.writes).toBe(0);
  });

  it.each([
    [{ from: -1 }, '`from` must be the number of a block, or another position of the source, got a number.'],
    [{ cursor: undefined }, '`reconcile` needs a `cursor` to store its progress.'],
    [{ source: {} }, '`source` must be a source such as chainSource(…), got an object.'],
    [{ receiver: {} }, '`receiver` must be a Receiver, got an object.'],
    [{ cursor: './file' }, '`cursor` must be an object with `read` and `write`, got a string.'],
    [{ handle: 'no' }, '`handle` must be true or false, got a string.'],
    [{ retryDelayMs: 0 }, '`retryDelayMs` must be a number from 1 to 2147483647, got a number out of range.'],
    [{ signal: {} }, '`signal` must be an AbortSignal, got an object.'],
    [{ onProgress: true }, '`onProgress` must be a function, got a boolean.'],
    [{ cursr: 1 }, '`reconcile` has no option `cursr`. Did you mean `cursor`?'],
  ])('%o', async (options, message) => {
    const { source } = sourceOf(node);
    const all = { source, receiver: noting().receiver, from: 0, cursor: keptCursor(), ...options } as never;
    expect(await refusal(reconcile(all))).toContain(`ERR_WEBHOOK_CONFIG: ${message}`);
  });

  it.each([
    [
      'goes backwards',
      [
        { to: 3, entries: [], oldestAt: 0 },
        { to: 2, entries: [] },
      ],
    ],
    ['has an event before its start', [{ to: 3, entries: [{ position: -1, event: {} }] }]],
  ])('a source that %s', async (_, chunks) => {
    const source = {
      name: 'mine',
      open: async () => ({
        chainId,
        end: 3,
        async *read() {
          yield* chunks;
        },
      }),
    } as never;
    expect(await refusal(run(node, noting().receiver, { source }))).toContain('not in ascending order without gaps');
  });
});
