import { describe, expect, it, onTestFinished } from 'vitest';
import { type SqlDatabase, sqlStore } from '../../../../src/stores/sql/index.js';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { hasMariadb, needsMariadb } from '../../../servers/mariadb.js';
import { once } from '../../calls.js';
import { useSqlServer } from '../client.js';
import { mysql2Client } from '../clients/mysql2.js';
import { hasOrms, importClients, needsOrms } from './installed.js';

const clients = hasOrms ? [mysql2Client, ...(await importClients('mysql'))] : [];

/** The store turns autocommit off in transactions of clients that do not show every statement. */
describe.skipIf(!hasMariadb || !hasOrms)(`autocommit over MariaDB${needsMariadb}${needsOrms}`, () => {
  const server = useSqlServer('mysql');

  describe.each(clients)('$title', (client) => {
    async function open(wrap: (db: SqlDatabase) => SqlDatabase = (db) => db) {
      await server.open(client);
      const { db, run, runIn, close } = await client.open(server.server().url, { max: 1 });
      onTestFinished(close);
      const store = sqlStore({ db: wrap(db), transactional: true, timeoutMs: 1000 });
      const isOn = async () => {
        const [row] = await run('SELECT @@autocommit AS autocommit');
        return Number(row?.autocommit) === 1;
      };
      return { store, runIn, isOn };
    }

    it('is on after a handler, however it ends', async () => {
      const { store, runIn, isOn } = await open();
      // biome-ignore lint/suspicious/noExplicitAny: each client has its own type of transactions
      const handlers: ((tx: any) => Promise<unknown>)[] = [
        nothing,
        failing,
        (tx) => runIn(tx, 'SELECT nonsense'),
        (tx) => runIn(tx, 'COMMIT'),
        (tx) => runIn(tx, 'ROLLBACK').then(failing),
        async (tx) => tx.commit?.(),
        async (tx) => tx.rollback?.(),
        async (tx) => tx.queryRunner?.commitTransaction(),
        async (tx) => tx.queryRunner?.rollbackTransaction(),
      ];
      for (const handler of handlers) {
        await once(store, unique(), async (tx) => {
          await runIn(tx, 'SAVEPOINT anything');
          await handler(tx);
        }).catch(nothing);
        await eventually(async () => expect(await isOn()).toBe(true));
        expect(await isOn()).toBe(true);
      }
    });

    it('is on after the client has ended the transaction by its own time limit', async () => {
      const { store, runIn, isOn } = await open((db) => ({
        ...db,
        transaction: (work, options) => db.transaction(work, { ...options, leaseMs: 50, timeoutMs: 250 }),
      }));
      const result = once(store, unique(), async (tx) => {
        await runIn(tx, 'SAVEPOINT anything');
        await new Promise((resolve) => setTimeout(resolve, 600));
        await runIn(tx, 'SELECT 1');
      });
      await result.catch(nothing);
      await eventually(async () => expect(await isOn()).toBe(true));
    });
  });
});
