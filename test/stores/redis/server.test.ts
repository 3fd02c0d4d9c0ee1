import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { deferred } from '../../helpers.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { once } from '../calls.js';
import { clients, useRedis, withPeers } from './clients.js';

for (const [name, connect] of withPeers(clients)) {
  describe.skipIf(!hasRedis)(`redisStore on ${name}, and its effects on the server${needsRedis}`, () => {
    const { server, admin } = useRedis();
    let runs: number;
    const run = async () => void runs++;
    const open = async (prefix?: string, timeoutMs = 2000) =>
      redisStore({
        client: await connect(server().url),
        leaseMs: 60_000,
        retentionMs: 3_600_000,
        timeoutMs,
        prefix,
      });

    beforeEach(async () => {
      runs = 0;
      await admin().flushall();
    });

    it('writes only keys with its prefix and an expiry', async () => {
      const store = await open('{app}:hooks.v1_-');
      const gate = deferred();
      await once(store, 'done', nothing);
      await expect(once(store, 'failed', failing)).rejects.toThrow('the run failed');
      const held = once(store, 'held', () => gate.promise);
      await eventually(async () => expect(await once(store, 'held', failing)).toBe('in-progress'));
      expect((await admin().keys('*')).sort()).toEqual(['{app}:hooks.v1_-done', '{app}:hooks.v1_-held']);
      const left = await admin().pttl('{app}:hooks.v1_-held');
      // It stays for a week after its lease, so that the next claim tells that the run was killed.
      expect(left).toBeGreaterThan(604_850_000);
      expect(left).toBeLessThanOrEqual(604_860_000);
      gate.resolve();
      await held;
      for (const key of await admin().keys('*')) {
        expect(await admin().pttl(key)).toBeGreaterThan(3_590_000);
        expect(await admin().pttl(key)).toBeLessThanOrEqual(3_600_000);
      }
    });

    it('keeps stores with different prefixes apart', async () => {
      const [store, other] = [await open('a:'), await open('b:')];
      expect(await once(store, 'key', nothing)).toBe('handled');
      expect(await once(other, 'key', nothing)).toBe('handled');
    });

    it('fails only the run whose key is not a string, among concurrent runs', async () => {
      await admin().lpush('webhook:list', 'not ours');
      const store = await open();
      const outcomes = () => Promise.allSettled(['a', 'list', 'b'].map((key) => once(store, key, run)));
      expect(await outcomes()).toMatchObject([{ value: 'handled' }, { status: 'rejected' }, { value: 'handled' }]);
      expect(await outcomes()).toMatchObject([{ value: 'duplicate' }, { status: 'rejected' }, { value: 'duplicate' }]);
      expect(runs).toBe(2);
      expect(await admin().lrange('webhook:list', 0, -1)).toEqual(['not ours']);
    });

    it('records concurrent runs each for itself when one was taken over', async () => {
      const store = await open();
      const another = JSON.stringify({ state: 'lease', owner: 'another', endsAt: 1e13 });
      const taken = async () => void (await admin().set('webhook:lost', another));
      const outcomes = await Promise.allSettled([
        once(store, 'lost', taken),
        once(store, 'kept', () => eventually(async () => expect(await admin().get('webhook:lost')).toBe(another))),
      ]);
      expect(outcomes).toMatchObject([{ reason: { code: 'ERR_WEBHOOK_STORE' } }, { value: 'handled' }]);
      expect(await admin().get('webhook:lost')).toBe(another);
      expect(await admin().get('webhook:kept')).toContain('"state":"done"');
    });

    it('fails without a run if scripts are not allowed, because no run could be completed', async () => {
      await admin().call('ACL', 'SETUSER', 'limited', 'on', '>password', '~*', '+@all', '-eval', '-evalsha');
      const url = server().url.replace('redis://', 'redis://limited:password@');
      const store = redisStore({ client: await connect(url) });
      await expect(once(store, 'key', run)).rejects.toThrow('NOPERM');
      await expect(once(store, 'key', run)).rejects.toThrow('NOPERM');
      expect(runs).toBe(0);
    });

    describe('that rejects writes', () => {
      afterEach(async () => {
        await admin().config('SET', 'maxmemory', '0');
        await admin().replicaof('NO', 'ONE');
      });

      it.each([
        [
          'is out of memory',
          'OOM',
          () => admin().config('SET', 'maxmemory', '1'),
          () => admin().config('SET', 'maxmemory', '0'),
        ],
        ['is a replica', 'READONLY', () => admin().replicaof('127.0.0.1', '1'), () => admin().replicaof('NO', 'ONE')],
      ])('fails without a run while the server %s', async (_, code, begin, end) => {
        const [fresh, used] = [await open(), await open()];
        await once(used, 'first', nothing);
        await begin();
        for (const store of [fresh, used]) await expect(once(store, 'key', run)).rejects.toThrow(code);
        expect(runs).toBe(0);
        await end();
        expect(await once(fresh, 'key', run)).toBe('handled');
        expect(await once(used, 'key', run)).toBe('duplicate');
      });

      it('records the effect as soon as the server accepts writes', async () => {
        const [store, other] = [await open(undefined, 300), await open()];
        const key = unique();
        const full = async () => void (await admin().config('SET', 'maxmemory', '1'));
        await expect(once(store, key, full)).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
        await admin().config('SET', 'maxmemory', '0');
        await eventually(async () => expect(await once(other, key, failing)).toBe('duplicate'));
      });
    });
  });
}
