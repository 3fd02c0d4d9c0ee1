import { describe, expect, it } from 'vitest';
import { type ReconcileOptions, type ReconcileSource, reconcile } from '../../src/chain/index.js';
import { memoryStore } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { chainId, keptCursor, noting } from '../chain/reconcile/reconciling.js';
import { instrumented } from './sdk.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A source with an event of a block for each number, of which all up to `end` are final. */
function sourceOf(blocks: readonly number[], end = 20): ReconcileSource {
  return {
    name: 'test',
    open: async () => ({
      ...{ chainId, end, head: end },
      async *read(from, to) {
        const entries = blocks
          .filter((position) => position >= from && position <= to)
          .map((position) => ({ position, event: sampleEventEmitted({ id: String(position) }) }));
        yield { to, entries, oldestAt: Date.now() };
      },
    }),
  };
}

function optionsOf(source: ReconcileSource, options: Partial<ReconcileOptions> = {}): ReconcileOptions {
  const { receiver } = noting({
    store: { ...memoryStore(), rememberedSince: () => 0 },
    onEvent({ id }) {
      if (id === '7') throw new Error('no');
    },
  });
  return { source, receiver, from: 0, cursor: keptCursor(), logger: silent, ...options };
}

describe('the metrics of reconcile', () => {
  it('count runs by result, and events by what became of them', async () => {
    const { points, metrics } = instrumented();
    const options = optionsOf(sourceOf([3, 5, 7]));
    await reconcile(options);
    await reconcile({ ...options, signal: AbortSignal.abort() });
    const source = { 'webhook.reconcile.source': 'test', 'webhook.reconcile.chain_id': chainId };
    expect(await points('webhook.reconcile.runs')).toEqual([
      { attributes: { ...source, 'webhook.reconcile.result': 'complete' }, value: 1 },
      { attributes: { ...source, 'webhook.reconcile.result': 'aborted' }, value: 1 },
    ]);
    for (const [name, value] of Object.entries({ found: 3, repaired: 2, failed: 1, left: 1, lag: 0 })) {
      expect(await points(`webhook.reconcile.${name}`), name).toEqual([{ attributes: source, value }]);
    }
    await reconcile({ ...options, cursor: { read: () => Promise.reject(new Error('away')), write: () => true } });
    expect((await points('webhook.reconcile.runs'))[2]?.attributes).toMatchObject({
      'webhook.reconcile.result': 'cursor',
    });
    for (const { descriptor } of (await metrics()).filter(({ descriptor: { name } }) => name.includes('reconcile'))) {
      expect(descriptor.unit).toMatch(/^\{(run|event|block)\}$/);
      expect(descriptor.description).not.toBe('');
    }
  });

  it('show how far the cursor is behind', async () => {
    const { points } = instrumented();
    await reconcile(optionsOf(sourceOf([3], 20)));
    const cursor = { read: () => undefined, write: () => Promise.reject(new Error('The disk is full.')) };
    await reconcile(optionsOf(sourceOf([7], 20), { cursor, from: 2 }));
    expect(await points('webhook.reconcile.lag')).toMatchObject([{ value: 19 }]);
  });

  it.each([
    ['the source', { ...sourceOf([7]), chainId }],
    ['the cursor', sourceOf([7])],
  ])(
    'of a run that fails before it opens its source are of the same series, by the chain that %s names',
    async (what, source) => {
      const attributes = { 'webhook.reconcile.source': 'test', 'webhook.reconcile.chain_id': chainId };
      const { points } = instrumented();
      const options = optionsOf(source);
      if (what === 'the cursor') await reconcile(options);
      const open = () => Promise.reject(Object.assign(new Error('down'), { retryAfterMs: 3_600_000 }));
      expect(await reconcile({ ...options, source: { ...source, open } })).toMatchObject({ chainId, final: undefined });
      await reconcile(options);
      expect(await points('webhook.reconcile.left')).toEqual([{ attributes, value: 1 }]);
      expect(await points('webhook.reconcile.found')).toMatchObject([{ attributes }]);
    },
  );

  it('do not change what a run does when the SDK fails, and end with the instrumentation', async () => {
    const broken = {
      getMeter() {
        throw new Error('broken');
      },
    };
    const { stop } = instrumented({ meterProvider: broken as never });
    expect(await reconcile(optionsOf(sourceOf([3])))).toMatchObject({ repaired: 1 });
    stop();
    const { points, stop: stopAll } = instrumented();
    stopAll();
    await reconcile(optionsOf(sourceOf([3])));
    expect(await points('webhook.reconcile.runs')).toEqual([]);
  });
});
