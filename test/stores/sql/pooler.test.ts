import { describe, expect, it } from 'vitest';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { hasPgbouncer, needsPgbouncer, startPgbouncer } from '../../servers/pgbouncer.js';
import { hasPostgres, needsPostgres } from '../../servers/postgres.js';
import { useServer } from '../../servers/use-server.js';
import { once } from '../calls.js';
import { countOf, openClient, type Run, useSqlServer, write } from './client.js';
import { importClients } from './orms/installed.js';
import { postgresClients } from './postgres/clients.js';

const clients = [...postgresClients, ...(await importClients('postgres'))];
const missing = needsPostgres + needsPgbouncer;

describe.skipIf(!hasPostgres || !hasPgbouncer)(`sqlStore behind a pgbouncer in transaction mode${missing}`, () => {
  const { open, server } = useSqlServer('postgres');
  const bouncer = useServer(() => startPgbouncer(server()));

  it.each(clients)('works: $title', { timeout: 20_000 }, async (client) => {
    const direct = await open(client);
    const opened = await openClient(client, bouncer().url, { isPooled: true });
    for (const store of [opened.lease({ timeoutMs: 20_000 }), opened.transactional({ timeoutMs: 20_000 })]) {
      await store.migrate();
      const keys = Array.from({ length: 40 }, unique);
      const run = (id: string) => async (tx: Run | undefined) =>
        void (await tx?.(`INSERT INTO effects VALUES ('${id}')`));
      const words = await Promise.all(keys.map((key) => once(store, key, run(key) as never)));
      expect(new Set(words)).toEqual(new Set(['handled']));
      for (const key of keys) expect(await once(store, key, failing)).toBe('duplicate');
      const written = await direct.run(`SELECT id FROM effects WHERE id IN ('${keys.join("','")}')`);
      expect(written).toHaveLength('once' in store ? 40 : 0);
    }
  });

  it.each(clients)('frees the key of a late handler: $title', async (client) => {
    const store = (await openClient(client, bouncer().url, { isPooled: true })).transactional();
    const [key, id] = [unique(), unique()];
    const result = once(store, key, async (tx, options) => {
      await write(id)(tx);
      options?.onTimeout?.(new Error('out of time'));
      await write(id)(tx).catch(nothing);
    });
    await expect(result).rejects.toThrow('out of time');
    await eventually(async () => expect(await once(store, key, nothing)).toBe('handled'));
    expect(await countOf(await open(client), id)).toBe(0);
  });
});
