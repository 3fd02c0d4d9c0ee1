import { expect, it } from 'vitest';
import type { KeptLog, LogStore } from '../../src/stores/log-store.js';
import { type LeaseStore, RETRY, type Step, type TransactionalStore } from '../../src/stores/store.js';
import { onceEach } from '../stores/calls.js';
import { failure } from './letters.js';

/** A store that keeps logs, for effects that follow a chain. */
export interface LogsGround {
  readonly store: (LeaseStore | TransactionalStore<never>) & { readonly logs?: LogStore | undefined };
  /** Deletes expired keys, if the store has a method for that. */
  sweep?(): Promise<unknown>;
  /** Leaves the key open in the transaction of a step, as a handler does that ends it; absent for leases. */
  leaveOpen?(key: string, step: Step): Promise<void>;
}

/** What each store that keeps logs must do. */
export function describeLogs(make: () => Promise<LogsGround> | LogsGround): void {
  let names = 0;
  const unique = `${process.pid}-${Date.now()}`;
  const newChain = () => `${unique}-${names++}`;
  const newKey = () => `1:0xabc:0xdef:${unique}-${names++}`;

  async function ground() {
    const { store, ...more } = await make();
    const { logs, letters } = store;
    if (!logs || !letters) throw new Error('The store keeps no logs.');
    const chain = newChain();
    const logOf = (blockNumber = 10, letter = '{"id":"1"}'): KeptLog => ({
      ...{ chain, blockNumber, blockHash: `0x${blockNumber}a`, letter },
    });

    const take = (keys: readonly string[], step: Step, run: () => unknown = () => {}) =>
      onceEach(store, keys, () => void run(), step);
    const apply = (key: string, log = logOf()) =>
      take([key], { from: 'free', to: 'applied', logs: new Map([[key, log]]) });
    const move = (key: string, from: 'applied' | 'reverted', transitions: number, run?: () => unknown) => {
      const to = from === 'applied' ? 'reverted' : 'applied';
      return take([key], { from, to, transitions: new Map([[key, transitions]]) }, run);
    };
    const list = (page: Partial<Parameters<LogStore['list']>[0]> = {}) => logs.list({ chain, limit: 100, ...page });
    return { ...more, logs, letters, chain, logOf, take, apply, move, list };
  }

  it('keeps an applied log, and its key is a duplicate for deliveries', async () => {
    const { apply, list, logs, logOf } = await ground();
    const key = newKey();
    const log = logOf(10, JSON.stringify({ text: "é ' \\ 💰 $1 ?" }));
    expect(await apply(key, log)).toEqual(['handled']);
    expect(await apply(key, log)).toEqual(['duplicate']);
    const { letter, ...block } = log;
    expect((await list()).get(key)).toMatchObject({ ...block, transitions: 1 });
    expect(await logs.read(key)).toEqual({ ...log, transitions: 1 });
    expect(await logs.find(key)).toEqual({ ...log, transitions: 1 });
    expect(letter).toContain('💰');
  });

  it('moves a log back and forth, only at the number of transitions that it has', async () => {
    const { apply, move, logs } = await ground();
    const key = newKey();
    await apply(key);
    expect(await move(key, 'applied', 3)).toEqual(['duplicate']);
    expect(await move(key, 'reverted', 1)).toEqual(['duplicate']);
    expect(await move(key, 'applied', 1)).toEqual(['handled']);
    expect(await move(key, 'applied', 1)).toEqual(['duplicate']);
    expect((await logs.read(key))?.transitions).toBe(2);
    expect(await move(key, 'reverted', 2)).toEqual(['handled']);
    expect((await logs.read(key))?.transitions).toBe(3);
    expect(await move(newKey(), 'applied', 1)).toEqual(['duplicate']);
  });

  it('moves the keys of the call only, whatever other logs the step names', async () => {
    const { apply, take, logs } = await ground();
    const [key, other] = [newKey(), newKey()];
    for (const each of [key, other]) await apply(each);
    const transitions = new Map([key, other].map((each) => [each, 1]));
    expect(await take([key], { from: 'applied', to: 'reverted', transitions })).toEqual(['handled']);
    expect([(await logs.read(key))?.transitions, (await logs.read(other))?.transitions]).toEqual([2, 1]);
  });

  it('keeps a log that was never applied as reverted', async () => {
    const { take, logOf, list, move, apply } = await ground();
    const key = newKey();
    const logs = new Map([[key, logOf()]]);
    expect(await take([key], { from: 'free', to: 'reverted', logs })).toEqual(['handled']);
    expect((await list()).get(key)?.transitions).toBe(0);
    expect(await apply(key)).toEqual(['duplicate']);
    expect(await move(key, 'reverted', 0)).toEqual(['handled']);
    expect((await list()).get(key)?.transitions).toBe(1);
  });

  it('leaves a log as it is when the run fails', async () => {
    const { apply, move, logs, list } = await ground();
    const [key, fresh] = [newKey(), newKey()];
    const fail = () => {
      throw new Error('The handler failed.');
    };
    await apply(key);
    await expect(move(key, 'applied', 1, fail)).rejects.toThrow('The handler failed.');
    expect((await logs.read(key))?.transitions).toBe(1);
    expect(await move(key, 'applied', 1)).toEqual(['handled']);
    expect((await list()).has(fresh)).toBe(false);
  });

  it('moves logs of many steps at once, each on its own connection', async () => {
    const { apply, move, logs } = await ground();
    const keys = Array.from({ length: 6 }, newKey);
    await Promise.all(keys.map((key) => apply(key)));
    for (const key of keys) expect(await move(key, 'applied', 1)).toEqual(['handled']);
    const again = await Promise.all(keys.map((key) => move(key, 'reverted', 2)));
    expect(again.flat()).toEqual(keys.map(() => 'handled'));
    await logs.settle(new Map(keys.map((key) => [key, 3])));
    expect(await Promise.all(keys.map((key) => logs.find(key)))).toEqual(keys.map(() => undefined));
  });

  it('gives a log to one of two steps at once', async () => {
    const { apply, move, logs } = await ground();
    const key = newKey();
    await apply(key);
    const words = await Promise.all([1, 2, 3].map(() => move(key, 'applied', 1).catch(() => ['failed'])));
    expect(words.flat().filter((word) => word === 'handled')).toEqual(['handled']);
    expect((await logs.read(key))?.transitions).toBe(2);
  });

  it('takes logs and other keys in one step', async () => {
    const { take, logOf, list } = await ground();
    const [one, two, other] = [newKey(), newKey(), newKey()];
    const logs = new Map([one, two].map((key, at) => [key, logOf(10 + at)]));
    const step: Step = { from: 'free', to: 'applied', logs };
    expect(await take([one, two, other], step)).toEqual(['handled', 'handled', 'handled']);
    expect([...(await list()).keys()]).toEqual([one, two]);
    expect(await take([one, two, other], step)).toEqual(['duplicate', 'duplicate', 'duplicate']);
    const transitions = new Map([one, two].map((key) => [key, 1]));
    expect(await take([one, two], { from: 'applied', to: 'reverted', transitions })).toEqual(['handled', 'handled']);
    expect([...(await list()).values()].map((log) => log.transitions)).toEqual([2, 2]);
  });

  it('lists logs by block in pages, of some blocks, and of one chain', async () => {
    const { apply, list, logOf } = await ground();
    const keys = Array.from({ length: 5 }, newKey);
    for (const [at, key] of keys.entries()) await apply(key, logOf(9 + (at % 3)));
    await apply(newKey(), { ...logOf(), chain: newChain() });
    const sorted = [0, 3, 1, 4, 2].map((at) => keys[at] as string);
    const found: string[] = [];
    let after: { blockNumber: number; key: string } | undefined;
    do {
      const page = await list({ limit: 2, after });
      found.push(...page.keys());
      const [last] = [...page].slice(-1);
      after = last && page.size === 2 ? { key: last[0], blockNumber: last[1].blockNumber } : undefined;
    } while (after);
    expect(found.map((key) => keys.indexOf(key)).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(found.slice(0, 2))).toEqual(new Set(sorted.slice(0, 2)));
    expect(new Set((await list({ numbers: [10, 11] })).keys())).toEqual(new Set([keys[1], keys[4], keys[2]]));
  });

  it('forgets all but the key of a log that is final, and never changes it again', async () => {
    const { apply, move, logs, list } = await ground();
    const [applied, reverted, moved] = [newKey(), newKey(), newKey()];
    for (const key of [applied, reverted, moved]) await apply(key);
    await move(reverted, 'applied', 1);
    await logs.settle(new Map([applied, reverted, moved].map((key, at) => [key, [1, 2, 2][at] as number])));
    expect([...(await list()).keys()]).toEqual([moved]);
    for (const key of [applied, reverted]) {
      expect(await logs.read(key)).toBeUndefined();
      expect(await apply(key)).toEqual(['duplicate']);
    }
    expect(await move(applied, 'applied', 1)).toEqual(['duplicate']);
    expect(await move(reverted, 'reverted', 2)).toEqual(['duplicate']);
  });

  it('keeps logs that are not final when expired keys are deleted', async () => {
    const { apply, list, sweep } = await ground();
    const key = newKey();
    await apply(key);
    await sweep?.();
    expect([...(await list()).keys()]).toEqual([key]);
  });

  it('counts failures of a step at its number of transitions, and makes a dead letter of the log', async () => {
    const { apply, move, letters, list, logs, take, logOf } = await ground();
    const key = newKey();
    await apply(key);
    const counted = { afterAttempts: 2, letter: '{"id":"dead"}' };
    expect(await letters.fail(key, failure({ ...counted, transitions: 2 }))).toBeUndefined();
    expect(await letters.fail(key, failure(counted))).toBeUndefined();
    expect(await letters.fail(key, failure({ ...counted, transitions: 1 }))).toMatchObject({
      attempts: 1,
      isDead: false,
    });
    expect((await logs.read(key))?.transitions).toBe(1);
    expect([...(await list()).keys()]).toEqual([key]);
    expect(await letters.fail(key, failure({ ...counted, transitions: 1 }))).toMatchObject({
      attempts: 2,
      isDead: true,
    });
    expect((await letters.look([key])).get(key)).toMatchObject({ transitions: 1, letter: '{"id":"dead"}' });
    expect(await list()).toEqual(new Map());
    expect((await logs.find(key))?.transitions).toBe(1);
    expect(await move(key, 'applied', 1)).toEqual(['duplicate']);
    expect(await apply(key)).toEqual(['duplicate']);
    const retried: Step = { from: 'dead', to: 'reverted', logs: new Map([[key, logOf()]]) };
    expect(await take([key], retried)).toEqual(['handled']);
    expect((await letters.look([key])).size).toBe(0);
    expect((await list()).get(key)?.transitions).toBe(2);
  });

  it('counts failures again from one after a log has changed', async () => {
    const { apply, move, letters } = await ground();
    const key = newKey();
    await apply(key);
    await letters.fail(key, failure({ transitions: 1 }));
    await move(key, 'applied', 1);
    expect(await letters.fail(key, failure({ transitions: 2 }))).toMatchObject({ attempts: 1 });
  });

  it('makes a log of a dead letter that was never applied, in either state', async () => {
    const { letters, take, logOf, list } = await ground();
    for (const [to, transitions] of [
      ['applied', 1],
      ['reverted', 0],
    ] as const) {
      const key = newKey();
      await letters.fail(key, failure({ afterAttempts: 1 }));
      expect(await take([key], { from: 'dead', to, logs: new Map([[key, logOf()]]) })).toEqual(['handled']);
      expect((await list()).get(key)?.transitions).toBe(transitions);
    }
    const key = newKey();
    await letters.fail(key, failure({ afterAttempts: 1 }));
    expect(await take([key], RETRY)).toEqual(['handled']);
    expect((await list()).has(key)).toBe(false);
  });

  it('never changes a log again whose dead letter is discarded', async () => {
    const { apply, letters, list, logs } = await ground();
    const key = newKey();
    await apply(key);
    await letters.fail(key, failure({ afterAttempts: 1, transitions: 1 }));
    expect(await letters.discard([key])).toEqual(new Set([key]));
    expect(await list()).toEqual(new Map());
    expect(await logs.find(key)).toBeUndefined();
    expect(await apply(key)).toEqual(['duplicate']);
  });

  it('lets one owner lead a chain, until it yields', async () => {
    const { logs, chain } = await ground();
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
    expect([await logs.lead(chain, one), await logs.lead(chain, one)]).toEqual([true, true]);
    expect(await logs.lead(chain, two)).toBe(false);
    expect(await logs.lead(newChain(), two)).toBe(true);
    await logs.yield(chain, two);
    expect(await logs.lead(chain, two)).toBe(false);
    await logs.yield(chain, one);
    expect(await logs.lead(chain, two)).toBe(true);
  });

  it('keeps a log whose transaction a handler ended as unknown', async () => {
    const { apply, move, list, leaveOpen } = await ground();
    if (!leaveOpen) return;
    const key = newKey();
    await apply(key);
    await leaveOpen(key, { from: 'applied', to: 'reverted', transitions: new Map([[key, 1]]) });
    expect(await list()).toEqual(new Map());
    expect(await move(key, 'applied', 1)).toEqual(['unknown']);
    expect(await apply(key)).toEqual(['unknown']);
  });
}
