import { describe, expect, it } from 'vitest';
import { sqlStore } from '../../../../src/stores/sql/index.js';
import { failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { countOf, ERR_UNKNOWN, type Opened, type SqlClient, useSqlServer } from '../client.js';
import { type Habits, hasOrms, importOrms, needsOrms } from './installed.js';

const habits = hasOrms ? (await importOrms<{ habits: readonly Habits[] }>('habits')).habits : [];
const insert = (id: string) => `INSERT INTO effects VALUES ('${id}')`;

describe.skipIf(!hasPostgres || !hasOrms)(`transactions of ORMs over Postgres${needsPostgres}${needsOrms}`, () => {
  const server = useSqlServer('postgres');

  describe.each(habits)('$client.title', ({ client, nested, endings = {}, refused = {}, leaveOpen }) => {
    /** A store whose handlers get the transaction of the ORM itself. */
    async function open(max = 2) {
      const opened = await server.open(client, { max });
      const own = await client.open(server.server().url, { max });
      const store = sqlStore({ db: own.db, transactional: true });
      return { opened, store, runIn: own.runIn, close: own.close };
    }
    const openTransactions = async ({ run }: Opened) => {
      const rows = await run(`SELECT pid FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`);
      return rows.length;
    };

    if (nested)
      it('commits a nested transaction with the key, or rolls it back with the handler', async () => {
        const { opened, store, runIn, close } = await open();
        const [kept, lost, key] = [unique(), unique(), unique()];
        await expect(
          once(store, key, async (tx) => {
            await nested(tx, insert(lost), nothing);
            await failing();
          }),
        ).rejects.toThrow('the run failed');
        expect(await countOf(opened, lost)).toBe(0);
        const word = await once(store, key, async (tx) => {
          await nested(tx, insert(kept), nothing);
          await expect(nested(tx, insert(lost), failing)).rejects.toThrow('the run failed');
          await runIn(tx, insert(kept));
        });
        expect(word).toBe('handled');
        expect([await countOf(opened, kept), await countOf(opened, lost)]).toEqual([2, 0]);
        await close();
      });

    if (leaveOpen)
      it('commits what a handler leaves in a nested transaction that nobody ends', async () => {
        const { opened, store, runIn, close } = await open(1);
        const [id, key] = [unique(), unique()];
        const word = await once(store, key, async (tx) => {
          await leaveOpen(tx);
          await runIn(tx, insert(id));
        });
        expect(word).toBe('handled');
        expect(await countOf(opened, id)).toBe(1);
        await expect(
          once(store, unique(), async (tx) => {
            await leaveOpen(tx);
            await runIn(tx, insert(id));
            await failing();
          }),
        ).rejects.toThrow('the run failed');
        expect(await once(store, key, failing)).toBe('duplicate');
        expect(await countOf(opened, id)).toBe(1);
        expect(await openTransactions(opened)).toBe(0);
        await close();
      });

    for (const [name, { commits, end }] of Object.entries(endings)) {
      it(`refuses a handler that ends the transaction by ${name}, and runs nothing again of which something was kept`, async () => {
        const { opened, store, runIn, close } = await open();
        const [before, after, key] = [unique(), unique(), unique()];
        const work = once(store, key, async (tx) => {
          await runIn(tx, insert(before));
          await end(tx);
          await runIn(tx, insert(after)).catch(nothing);
        });
        if (commits)
          await expect(work).rejects.toMatchObject({
            ...ERR_UNKNOWN,
            message: expect.stringMatching(/ended the transaction/),
          });
        else await expect(work).rejects.toThrow();
        expect(await countOf(opened, before)).toBe(commits ? 1 : 0);
        // Then nothing may run again.
        const isKept = commits || (await countOf(opened, after)) > 0;
        expect(await once(store, key, nothing)).toMatch(isKept ? /^unknown$/ : /^(handled|unknown)$/);
        expect(await openTransactions(opened)).toBe(0);
        await close();
      });
    }

    for (const [name, use] of Object.entries(refused)) {
      it(`refuses ${name}`, async () => {
        const { opened, store, close } = await open();
        const work = once(store, unique(), async (tx) => void (await use(tx)));
        await expect(work).rejects.toThrow(/transaction/i);
        expect(await once(store, unique(), nothing)).toBe('handled');
        expect(await openTransactions(opened)).toBe(0);
        await close();
      });
    }
  });

  it('gives a handler more time than the interactive transactions of Prisma do', { timeout: 20_000 }, async () => {
    const { client } = habits.find((each) => each.client.title.startsWith('fromPrisma')) as { client: SqlClient };
    const opened = await server.open(client);
    const id = unique();
    const word = await once(opened.transactional(), unique(), async (run) => {
      await new Promise((resolve) => setTimeout(resolve, 5500));
      await run(insert(id));
    });
    expect(word).toBe('handled');
    expect(await countOf(opened, id)).toBe(1);
  });
});
