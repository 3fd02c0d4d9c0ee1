import { describe, expect, it } from 'vitest';
import { eventually, failing, holdKey, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { once, onceEach } from '../../calls.js';
import { countOf, type Run, useSqlServer, write } from '../client.js';
import { mysql2Client } from '../clients/mysql2.js';

/** What the locks of InnoDB and the named locks of the store do to each other. */
describe.skipIf(!hasMariadb)(`sqlStore over MariaDB${needsMariadb}`, () => {
  const server = useSqlServer('mysql');
  it('takes over the key of a transaction that is frozen for longer than its lease', async () => {
    const [frozen, opened] = [await server.open(mysql2Client), await server.open(mysql2Client)];
    const [key, lost, id] = [unique(), unique(), unique()];
    const [running, gate] = [deferred(), deferred()];
    const holding = once(frozen.transactional({ leaseMs: 600_000 }), key, async (tx) => {
      await write(lost)(tx);
      running.resolve();
      await gate.promise;
    });
    await running.promise;
    const store = opened.transactional({ leaseMs: 2000 });
    expect(await once(store, key, failing)).toBe('in-progress');
    const start = performance.now();
    await eventually(async () => expect(await once(store, key, write(id))).toBe('handled'));
    expect(performance.now() - start).toBeGreaterThan(900);
    gate.resolve();
    await expect(holding).rejects.toThrow();
    expect([await countOf(opened, lost), await countOf(opened, id)]).toEqual([0, 1]);
  }, 15_000);

  it('does not take over from a transaction whose statement takes long', async () => {
    const opened = await server.open(mysql2Client);
    const [key, running] = [unique(), deferred()];
    const holding = once(opened.transactional({ leaseMs: 600_000 }), key, async (tx) => {
      running.resolve();
      await tx('SELECT SLEEP(3)');
    });
    await running.promise;
    const other = opened.transactional({ leaseMs: 1000 });
    await eventually(async () => expect(await once(other, key, nothing)).toBe('duplicate'));
    expect(await holding).toBe('handled');
  }, 15_000);

  it('claims a key at once whose lock an idle connection still has', async () => {
    const [first, second] = [await server.open(mysql2Client), await server.open(mysql2Client)];
    const key = unique();
    expect(await once(first.transactional({ retentionMs: 1 }), key, nothing)).toBe('handled');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await once(second.transactional(), key, nothing)).toBe('handled');
    expect(await once(first.transactional(), key, failing)).toBe('duplicate');
  });

  it('gives an expired key to one of two transactions, and the other does not wait', async () => {
    const [first, second] = [await server.open(mysql2Client), await server.open(mysql2Client)];
    const [key, gate] = [unique(), deferred()];
    await once(first.transactional({ retentionMs: 1 }), key, nothing);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { result } = await holdKey(first.transactional(), key, gate.promise);
    // A claim that waits would reject: the first run still holds the key.
    expect(await once(second.transactional(), key, failing)).toBe('in-progress');
    gate.resolve();
    expect(await result).toBe('handled');
  });

  it.each(['read committed', 'repeatable read', 'serializable'] as const)(
    'has each effect once, and does not let others wait for the gaps beside its duplicates: %s',
    async (isolationLevel) => {
      const opened = await server.open(mysql2Client);
      const store = opened.transactional({ isolationLevel });
      const prefix = unique();
      const [before, duplicate, after] = ['a', 'b', 'c'].map((letter) => `${prefix}${letter}`) as [
        string,
        string,
        string,
      ];
      await once(store, duplicate, nothing);
      const [running, gate] = [deferred(), deferred()];
      const holding = onceEach(store, [duplicate, `${prefix}d`], async () => {
        running.resolve();
        await gate.promise;
      });
      await running.promise;
      // A serializable transaction cannot look before it inserts.
      if (isolationLevel !== 'serializable') expect(await once(store, before, nothing)).toBe('handled');
      expect(await once(store, after, nothing)).toBe('handled');
      expect(await once(store, duplicate, failing)).toBe('duplicate');
      expect(await once(store, `${prefix}d`, failing)).toBe('in-progress');
      gate.resolve();
      expect(await holding).toEqual(['duplicate', 'handled']);
      const [raced, id] = [unique(), unique()];
      const words = await Promise.all(Array.from({ length: 20 }, () => once(store, raced, write(id))));
      expect(words.filter((word) => word === 'handled')).toHaveLength(1);
      expect(await countOf(opened, id)).toBe(1);
    },
  );

  it('does not run a handler again after a lock wait that took too long', async () => {
    const opened = await server.open(mysql2Client, { session: { innodb_lock_wait_timeout: '1' } });
    const store = opened.transactional();
    const [held, key] = [unique(), unique()];
    await opened.run('CREATE TABLE IF NOT EXISTS balances (id varchar(40) PRIMARY KEY, n int)');
    await opened.run(`INSERT INTO balances VALUES ('${held}', 0)`);
    const update = (tx: Run) => tx(`UPDATE balances SET n = n + 1 WHERE id = '${held}'`).then(nothing);
    const gate = deferred();
    const running = deferred();
    const result = once(store, unique(), async (tx) => {
      await update(tx);
      running.resolve();
      await gate.promise;
    });
    await running.promise;
    let runs = 0;
    const waiting = once(store, key, async (tx) => {
      runs++;
      await update(tx);
    });
    await expect(waiting).rejects.toMatchObject({ errno: 1205 });
    expect(runs).toBe(1);
    gate.resolve();
    expect(await result).toBe('handled');
    expect(await once(store, key, update)).toBe('handled');
  });
});
