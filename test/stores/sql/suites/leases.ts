import { beforeEach, describe, expect, it } from 'vitest';
import { failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { once, onceEach } from '../../calls.js';
import { ERR_STORE, type Opened, type SqlClient, type SqlServer } from '../client.js';

const TABLE = 'webhook_idempotency_keys';
/** The time of a row in epoch milliseconds, and a time that is over. */
const TIMES = {
  postgres: { column: 'extract(epoch FROM expires_at) * 1000', over: `now() - interval '1 ms'` },
  mysql: { column: 'expires_at', over: '0' },
  sqlite: { column: 'expires_at', over: '0' },
};
/** How far the clocks of a test and its server may be apart, with the time between them. */
const NEAR_MS = 10_000;

/** The rows of leases in a database, through a client. */
export function describeLeases(client: SqlClient, { open }: SqlServer): void {
  const { column, over } = TIMES[client.dialect];
  const named = client.dialect === 'mysql' ? '`key`' : 'key';

  describe(`the leases of ${client.title}`, () => {
    let opened: Opened;
    beforeEach(async () => {
      opened = await open(client);
    });

    async function rowOf(key: string) {
      const [row] = await opened.run(
        `SELECT owner, state, ${column} AS expires FROM ${TABLE} WHERE ${named} = '${key}'`,
      );
      return row && { owner: row.owner, state: row.state, leftMs: Number(row.expires) - Date.now() };
    }
    const endLease = (key: string) => opened.run(`UPDATE ${TABLE} SET expires_at = ${over} WHERE ${named} = '${key}'`);
    const isNear = (leftMs: number, ms: number) => Math.abs(leftMs - ms) < NEAR_MS;

    it('last as long as the store says, and then the record does', async () => {
      const store = opened.lease({ leaseMs: 1_000_000.5, retentionMs: 5_000_000.5 });
      const key = unique();
      const during: Awaited<ReturnType<typeof rowOf>>[] = [];
      expect(await once(store, key, async () => void during.push(await rowOf(key)))).toBe('handled');
      const after = await rowOf(key);
      expect(during).toEqual([
        { owner: expect.stringMatching(/^[\w-]{36}$/), state: 'lease', leftMs: expect.any(Number) },
      ]);
      expect(isNear(during[0]?.leftMs ?? 0, 1_000_000)).toBe(true);
      expect(after).toEqual({ owner: during[0]?.owner, state: 'done', leftMs: expect.any(Number) });
      expect(isNear(after?.leftMs ?? 0, 5_000_000)).toBe(true);
    });

    it('are taken over when they are over, and the run that had one neither records nor frees the key', async () => {
      for (const end of [nothing, failing]) {
        const [store, key] = [opened.lease(), unique()];
        const running = once(store, key, async () => {
          expect(await once(opened.lease(), key, failing)).toBe('in-progress');
          await endLease(key);
          expect(await once(opened.lease({ retentionMs: 1_000_000 }), key, nothing)).toBe('handled');
          await end();
        });
        await expect(running).rejects.toMatchObject(end === nothing ? ERR_STORE : { message: 'the run failed' });
        expect(await once(store, key, failing)).toBe('duplicate');
        expect(isNear((await rowOf(key))?.leftMs ?? 0, 1_000_000)).toBe(true);
      }
    });

    it.each([
      ['is over', endLease],
      ['is gone', (key: string) => opened.run(`DELETE FROM ${TABLE} WHERE ${named} = '${key}'`)],
    ])('let a run be recorded whose lease %s, if nobody has taken over', async (_, end) => {
      const [store, key] = [opened.lease(), unique()];
      expect(await once(store, key, async () => void (await end(key)))).toBe('handled');
      expect(await once(store, key, failing)).toBe('duplicate');
      expect(await rowOf(key)).toMatchObject({ state: 'done' });
    });

    it('are claimed again once the record has expired, and not before', async () => {
      const [store, key] = [opened.lease(), unique()];
      await once(store, key, nothing);
      const before = await rowOf(key);
      expect(await once(store, key, failing)).toBe('duplicate');
      await endLease(key);
      expect(await once(store, key, nothing)).toBe('handled');
      const after = await rowOf(key);
      expect(after?.owner).not.toBe(before?.owner);
      expect(after).toMatchObject({ state: 'done' });
    });

    it('of several keys each have their own answer', async () => {
      const store = opened.lease();
      const [done, held, expired, fresh] = [unique(), unique(), unique(), unique()];
      for (const key of [done, expired]) await once(store, key, nothing);
      await endLease(expired);
      const seen: (readonly string[])[] = [];
      await once(store, held, async () => {
        const words = onceEach(store, [fresh, held, done, expired], async (keys) => void seen.push(keys));
        expect(await words).toEqual(['handled', 'in-progress', 'duplicate', 'handled']);
      });
      expect(seen).toEqual([[fresh, expired]]);
      const all = [done, held, expired, fresh];
      expect(await onceEach(store, all, failing)).toEqual(all.map(() => 'duplicate'));
    });

    it('are for any number of keys at once, and free them all if the run fails', async () => {
      const store = opened.lease({ timeoutMs: 20_000 });
      const keys = Array.from({ length: 1100 }, unique);
      await expect(onceEach(store, keys, failing)).rejects.toThrow('the run failed');
      expect(new Set(await onceEach(store, keys, nothing))).toEqual(new Set(['handled']));
      expect(new Set(await onceEach(store, keys, failing))).toEqual(new Set(['duplicate']));
    });

    it('are swept when they are over, and not before', async () => {
      const [store, over, left] = [opened.lease(), unique(), unique()];
      await store.sweep();
      for (const key of [over, left]) await once(store, key, nothing);
      await endLease(over);
      expect(await store.sweep()).toBe(1);
      expect(await rowOf(over)).toBeUndefined();
      expect(await rowOf(left)).toBeDefined();
    });
  });
}
