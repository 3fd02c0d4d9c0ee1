import { expect, it } from 'vitest';
import { nothing, unique } from '../../contracts/store-helpers.js';
import { once } from '../calls.js';
import type { SqlClient, SqlServer } from './client.js';
import { describeBareClients } from './servers.js';
import { describeWrapped } from './suites/contract.js';
import { describeLateHandlers } from './suites/late.js';

/** A client that does not restore the session that a handler leaves. */
function describeQualifiedTable(client: SqlClient, { open }: SqlServer): void {
  if (client.dialect !== 'postgres') return;
  it.each(['lease', 'transactional'] as const)('finds its table again after search_path changed: %s', async (kind) => {
    const direct = await open(client);
    const schema = `Schema_${unique().replaceAll('-', '')}`;
    await direct.run(`CREATE SCHEMA "${schema}"`);
    const opened = await open(client, { max: 1, session: { search_path: `"${schema}"` } });
    const store = opened[kind]();
    await expect(once(store, unique(), nothing)).rejects.toThrow('Call migrate()');
    await store.migrate();
    for (let round = 0; round < 2; round++) {
      expect(await once(store, unique(), nothing)).toBe('handled');
      expect(await store.cursor(unique()).write('1', undefined)).toBe(true);
      await opened.run('SET search_path TO public');
    }
    expect(await direct.run(`SELECT key FROM "${schema}".webhook_idempotency_keys`)).toHaveLength(2);
    expect(await direct.run(`SELECT name FROM "${schema}".webhook_idempotency_keys_cursors`)).toHaveLength(2);
    if (kind === 'lease') expect(await store.sweep()).toBe(0);
  });
}

describeBareClients([describeQualifiedTable, describeWrapped, describeLateHandlers]);
