import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../../contracts/store-helpers.js';
import { deferred } from '../../../helpers.js';
import { hasPostgres, needsPostgres } from '../../../servers/postgres.js';
import { once } from '../../calls.js';
import { type Opened, type Run, useServer, write } from '../client.js';
import { importClients } from '../orms/installed.js';
import { postgresClients } from './clients.js';

/** What a handler could leave behind, and how to see it. */
const LEFTOVERS = [
  ['SET search_path TO nowhere', 'SHOW search_path'],
  ['SET default_transaction_read_only = on', 'SHOW default_transaction_read_only'],
  ['CREATE TEMP TABLE left_behind (id int)', "SELECT to_regclass('left_behind')::text"],
  ["SELECT set_config('statement_timeout', '7', false)", 'SHOW statement_timeout'],
  ['SET ROLE pg_monitor', 'SELECT current_user'],
  ['PREPARE left_behind AS SELECT 1', 'SELECT name FROM pg_prepared_statements WHERE from_sql'],
  ['LISTEN left_behind', 'SELECT pg_listening_channels()'],
  ['DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1', 'SELECT name FROM pg_cursors WHERE is_holdable'],
  ['SELECT pg_advisory_lock(4711)', "SELECT classid FROM pg_locks WHERE locktype = 'advisory'"],
] as const;

function describeLeftovers(open: () => Promise<Opened>, leftovers: readonly (readonly [string, string])[]): void {
  it.each(leftovers)('do not show the next handler what it left behind: %s', async (text, show) => {
    const { run, transactional } = await open();
    const store = transactional();
    await once(store, unique(), nothing);
    const before = await run(show);
    for (const end of [nothing, failing]) {
      const leave = async (tx: Run) => {
        await tx(text);
        await end();
      };
      await once(store, unique(), leave).catch(nothing);
      expect(await once(store, unique(), write(unique()))).toBe('handled');
      expect(await run(show)).toEqual(before);
    }
  });
}

// Prisma does not show its connections, so a handler's settings stay there.
const orms = (await importClients('postgres')).filter(({ title }) => !title.startsWith('fromPrisma'));

describe.skipIf(!hasPostgres)(`sessions of Postgres after a handler${needsPostgres}`, () => {
  const { open } = useServer('postgres');

  describe.each(orms)('$title', (client) => describeLeftovers(() => open(client, { max: 1 }), LEFTOVERS.slice(0, 3)));

  describe.each(postgresClients)('$title', (client) => {
    const opened = () => open(client, { max: 1 });

    describeLeftovers(opened, LEFTOVERS);

    it('are the same for handlers that leave nothing behind, and keep what the pool was told to set', async () => {
      const { run, transactional } = await open(client, { max: 1, session: { statement_timeout: '4321' } });
      const store = transactional();
      const backend = async () =>
        (await run('SELECT pg_backend_pid() AS pid, current_setting($$statement_timeout$$) AS ms'))[0];
      await once(store, unique(), nothing);
      const first = await backend();
      expect(first?.ms).toBe('4321ms');
      await once(store, unique(), async (tx) => {
        await tx('SET LOCAL search_path TO nowhere');
        await tx("SELECT set_config('app.tenant', '1', true)");
        await tx('CREATE TEMP TABLE dropped (id int) ON COMMIT DROP');
        await tx('SELECT pg_advisory_xact_lock(4711)');
      });
      await once(store, unique(), failing).catch(nothing);
      expect(await backend()).toEqual(first);
    });

    it('end with the lease if the process that has them freezes', async () => {
      const { transactional } = await open(client);
      const other = (await open(client)).transactional();
      const store = transactional({ leaseMs: 300 });
      const key = unique();
      const [running, end] = [deferred(), deferred()];
      const first = once(store, key, async (tx) => {
        await write(key)(tx);
        running.resolve();
        await end.promise;
      });
      first.catch(nothing);
      await running.promise;
      expect(await once(other, key, failing)).toBe('in-progress');
      await eventually(async () => expect(await once(other, key, nothing)).toBe('handled'));
      end.resolve();
      await expect(first).rejects.toThrow();
    });

    it('have no prepared statements or settings of the store', async () => {
      const { run, transactional, lease } = await open(client, { max: 1 });
      await once(transactional(), unique(), nothing);
      await once(transactional(), unique(), failing).catch(nothing);
      await once(lease(), unique(), nothing);
      expect(
        await run(`SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
          current_setting('transaction_timeout') AS whole,
          (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
          (SELECT count(*)::int FROM pg_prepared_statements WHERE statement LIKE '%webhook_idempotency_keys%') AS prepared`),
      ).toEqual([{ idle: '0', whole: '0', locks: 0, prepared: 0 }]);
    });
  });
});
