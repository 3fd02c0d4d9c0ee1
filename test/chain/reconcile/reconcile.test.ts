import { channel } from 'node:diagnostics_channel';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ReconcileReport } from '../../../src/chain/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver, memoryStore, WebhookError } from '../../../src/index.js';
import { signed } from '../../helpers.js';
import { createNode, type ScriptedNode, withoutLogs } from '../scripted-node.js';
import { transfer } from '../watching.js';
import { amountOf, chainId, keptCursor, noting, readAll, run, sourceOf } from './reconciling.js';

let node: ScriptedNode;
beforeEach(() => {
  node = createNode();
  for (let value = 1; value <= 6; value += 2) node.mine({ logs: [transfer(value)] }, { logs: [transfer(value + 1)] });
});

const all = [1, 2, 3, 4, 5, 6];

/** Delivers the events of some blocks as the service does, under other ids. */
async function deliver(receiver: ReturnType<typeof noting>['receiver'], from: number, to: number) {
  const { events } = await readAll(sourceOf(node).source, from, to);
  const delivered = events.map((event) => ({ ...event, id: `delivered-${event.id}` }));
  return receiver.handle(signed(delivered, { timestamp: Math.floor(Date.now() / 1000) }));
}

describe('reconcile', () => {
  it('handles what was never delivered, once, and finds what was', async () => {
    const { receiver, handled } = noting();
    await deliver(receiver, 2, 2);
    const { report, cursor } = await run(node, receiver);
    expect(handled).toEqual([3, 4, 1, 2, 5, 6]);
    expect(report).toEqual({
      ...{ source: 'chain', chainId, from: 0, to: 3, final: 3, head: 3 },
      ...{ found: 6, present: 2, repaired: 4, stored: 0, dropped: 0, waiting: 0, failed: 0, missing: 0, left: 0 },
      ...{ entries: [], stopped: undefined },
    });
    expect(cursor.state).toMatchObject({ next: 4, retry: [] });
  });

  it('continues where the cursor is, and reads nothing twice', async () => {
    const { receiver, handled } = noting();
    const { cursor } = await run(node, receiver);
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ from: 4, to: 3, found: 0 });
    node.mine({ logs: [transfer(7)] });
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ from: 4, to: 4, found: 1, repaired: 1 });
    expect(handled).toEqual([...all, 7]);
    // What the service delivers later has taken effect.
    const { outcomes } = await deliver(receiver, 0, 4);
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'duplicate'));
  });

  it('puts what fails on the retry list, tries it first in the next run, and is not held up by it', async () => {
    let isBroken = true;
    const { receiver, handled } = noting({ fails: (value) => isBroken && value === 2 });
    const first = await run(node, receiver);
    expect(first.report).toMatchObject({ found: 6, repaired: 5, failed: 1, left: 1, to: 3 });
    expect(first.report.entries).toEqual([
      {
        position: 1,
        idempotencyKey: expect.stringMatching(/^31337:0x[\da-f]{64}:0x[\da-f]{64}:1$/),
        status: 'failed',
        event: expect.objectContaining({ event: 'event.emitted' }),
        error: expect.objectContaining({ code: 'ERR_WEBHOOK_HANDLER' }),
      },
    ]);
    const { cursor } = first;
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ found: 1, failed: 1, left: 1 });
    isBroken = false;
    node.mine({ logs: [transfer(7)] });
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ found: 2, repaired: 2, left: 0 });
    expect(handled).toEqual([1, 3, 4, 5, 6, 2, 7]);
    expect(cursor.state).toMatchObject({ next: 5, retry: [] });
  });

  it('removes an event from the retry list when its block was replaced', async () => {
    const { receiver } = noting({ fails: (value) => value === 6 });
    const { cursor } = await run(node, receiver);
    node.drop(1);
    node.mine();
    node.mine();
    const { report, lines } = await run(node, receiver, { cursor });
    expect(report).toMatchObject({ dropped: 1, left: 0, to: 4 });
    expect(lines.map(({ message }) => message)).toContain(
      'The source no longer has an event. It is removed from the retry list.',
    );
  });

  it('keeps the retry list for later when the node is behind', async () => {
    let isBroken = true;
    const { receiver, handled } = noting({ fails: (value) => isBroken && value === 6 });
    const { cursor } = await run(node, receiver);
    isBroken = false;
    const { chain } = node;
    node.drop(2);
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ found: 0, left: 1, to: 3, final: 1 });
    node.chain = chain;
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ repaired: 1, left: 0 });
    expect(handled).toEqual(all);
  });

  it('keeps an event on the retry list when the node leaves it out of its block', async () => {
    let isBroken = true;
    const { receiver, handled } = noting({ fails: (value) => isBroken && value === 6 });
    const { cursor } = await run(node, receiver);
    isBroken = false;
    node.answer((method, _, answer) => withoutLogs(method, answer));
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ failed: 1, left: 1 });
    node.answer((_, __, answer) => answer);
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ repaired: 1, left: 0 });
    expect(handled).toEqual(all);
  });

  it.each([
    ['draining', 'busy', 503],
    ['refusing', 'refused', 403],
  ])('stops at a receiver that is %s, with the cursor before what it did not take', async (state, reason, status) => {
    const { receiver } = noting();
    if (state === 'draining') await receiver.drain({ timeoutMs: 0 });
    const error = new WebhookError('ERR_WEBHOOK_SIGNATURE', 'refused');
    const refusing = { ...receiver, handleEvents: async () => ({ status: 403, outcomes: [], error }) };
    const { report, cursor } = await run(node, state === 'draining' ? receiver : refusing);
    expect(report).toMatchObject({ found: 0, to: -1, stopped: { reason, error: { status } } });
    expect(cursor.text).toBeUndefined();
  });

  it.each([true, false])('asks for the source of a secret function (handle: %s)', async (handle) => {
    const { receiver } = noting({ secret: () => 'whsec-test' });
    await expect(run(node, receiver, { handle })).rejects.toMatchObject({
      code: 'ERR_WEBHOOK_CONFIG',
      message: expect.stringContaining('`source`'),
    });
  });

  it('handles events under the keys of their source, and says that it is reconcile', async () => {
    const seen = new Set<unknown>();
    const receiver = createReceiver({
      secret: () => ({ secret: 'whsec-test', source: 'acme' }),
      idempotencyKey: (event) => logIdentity(event, { chainId: 31337 }),
      onEvent: (_, { source, via, idempotencyKey }) => seen.add([source, via, idempotencyKey.split('::')[0]].join()),
    });
    const { report } = await run(node, receiver, { keySource: 'acme' });
    expect(report).toMatchObject({ repaired: 6 });
    expect([...seen]).toEqual(['acme,reconcile,acme']);
  });

  it('stops when the store fails, and puts nothing on the retry list', async () => {
    const store = { ...memoryStore(), once: () => Promise.reject(new Error('down')), rememberedSince: () => 0 };
    const { receiver } = noting({ store });
    const { report, cursor } = await run(node, receiver);
    expect(report).toMatchObject({ failed: 6, left: 0, to: -1, stopped: { reason: 'busy' } });
    expect(cursor.text).toBeUndefined();
  });

  it('stores events where the receiver has `enqueue`', async () => {
    const stored: string[] = [];
    const enqueue = Object.assign(
      (entries: readonly { idempotencyKey: string }[]) => {
        stored.push(...entries.map(({ idempotencyKey }) => idempotencyKey));
      },
      { retentionMs: 604_800_000 },
    );
    const { receiver } = noting({ enqueue } as never);
    expect((await run(node, receiver)).report).toMatchObject({ stored: 6, to: 3 });
    expect(new Set(stored).size).toBe(6);
  });

  it('hands over events whatever the receiver allows strangers to send', async () => {
    const { receiver, handled } = noting({ maxBodyBytes: 100, maxEvents: 1 });
    expect((await run(node, receiver)).report).toMatchObject({ repaired: 6 });
    expect(handled).toEqual(all);
  });

  it('only looks with `handle: false`', async () => {
    const { receiver, handled } = noting();
    await deliver(receiver, 1, 1);
    const { report, cursor } = await run(node, receiver, { handle: false });
    expect(report).toMatchObject({ found: 6, present: 2, missing: 4, to: 3 });
    expect(report.entries.map(({ status, event }) => [status, amountOf(event)])).toEqual(
      [3, 4, 5, 6].map((value) => ['missing', value]),
    );
    expect([handled, cursor.text]).toEqual([[1, 2], undefined]);
    expect((await run(node, receiver)).report).toMatchObject({ present: 2, repaired: 4 });
  });

  it('passes on the progress, and the report on a diagnostics channel', async () => {
    const { receiver } = noting();
    const [progress, published]: [ReconcileReport[], unknown[]] = [[], []];
    const note = (message: unknown) => published.push(message);
    const reports = channel('event-webhook-receiver:reconcile');
    reports.subscribe(note);
    const onProgress = (report: ReconcileReport) => {
      progress.push(report);
      throw new Error('ignored');
    };
    const { report, lines } = await run(node, receiver, { onProgress, sourceOptions: { maxRange: 2 } });
    reports.unsubscribe(note);
    expect(progress.map(({ to, final, repaired }) => [to, final, repaired])).toEqual([
      [1, 3, 2],
      [3, 3, 6],
    ]);
    expect(published).toEqual([report]);
    expect(lines.map(({ message }) => message)).toEqual(['`onProgress` failed.', '`onProgress` failed.']);
  });

  it('ends after the delivery in progress when it is aborted', async () => {
    const controller = new AbortController();
    const { receiver, handled } = noting({ fails: (value) => value === 2 && void controller.abort() === null });
    const { report, cursor } = await run(node, receiver, {
      signal: controller.signal,
      sourceOptions: { maxRange: 1 },
    });
    expect(report).toMatchObject({ to: 1, repaired: 2, stopped: { reason: 'aborted' } });
    expect(handled).toEqual([1, 2]);
    expect(cursor.state.next).toBe(2);
    const aborted = await run(node, receiver, { signal: controller.signal });
    expect(aborted.report).toMatchObject({ stopped: { reason: 'aborted' }, found: 0 });
  });

  it('stops when another process has moved the cursor', async () => {
    const { receiver, handled } = noting();
    const cursor = keptCursor();
    const reports = await Promise.all([run(node, receiver, { cursor }), run(node, receiver, { cursor })]);
    expect(reports.map(({ report }) => report.stopped?.reason).sort()).toEqual(['superseded', undefined].sort());
    expect([...handled].sort()).toEqual(all);
    expect((await run(node, receiver, { cursor })).report).toMatchObject({ found: expect.any(Number) });
    expect(cursor.state).toMatchObject({ next: 4, retry: [] });
  });
});
