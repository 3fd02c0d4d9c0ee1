import { describeStore, type StoreTarget } from '../../../contracts/store.js';
import type { TestServer } from '../../../servers/server.js';
import { countOf, type Opened, type Run, type SqlClient, type SqlServer, write } from '../client.js';
import { describeClientLetters, describeClientLogs } from './letters.js';

type Kind = 'lease' | 'transactional';

const TABLE = 'webhook_idempotency_keys';
/** Lets time pass in the table, on the clock of the database. */
export const PASS = {
  postgres: (ms: number) => `UPDATE ${TABLE} SET expires_at = expires_at - interval '${ms} ms'`,
  mysql: (ms: number) => `UPDATE ${TABLE} SET expires_at = expires_at - ${ms}`,
  sqlite: (ms: number) => `UPDATE ${TABLE} SET expires_at = expires_at - ${ms}`,
};

/** The contract of stores, with both modes of a client. `away`: the modes whose server goes away, too. */
export function describeContract(
  client: SqlClient,
  { open, server }: SqlServer,
  away: readonly Kind[] = ['lease', 'transactional'],
): void {
  for (const kind of ['lease', 'transactional'] as const) {
    if (kind === 'lease' && client.connectsByDriver) continue;
    describeMode(client, kind, () => open(client), away.includes(kind) && !client.crashes ? server : undefined);
  }
}

/** The contract of stores, with one mode of a client. */
export function describeMode(
  client: SqlClient,
  kind: Kind,
  open: () => Promise<Opened>,
  server?: () => TestServer,
): void {
  let opened: Opened;
  const target: StoreTarget = {
    async open(settings) {
      opened = await open();
      return opened[kind](settings);
    },
    passTime: (ms) => opened.run(PASS[client.dialect](ms)),
    effects: { write: (tx: Run, id) => write(id)(tx), count: (id) => countOf(opened, id) },
  };
  // SQLite has one writer at a time, and PGlite one session.
  const waits = client.isSerial || client.dialect === 'sqlite';
  const meanwhile = kind === 'transactional' && waits ? 'waits' : 'in-progress';
  const traits = { meanwhile, shared: true, leases: kind === 'lease' } as const;
  describeStore(`${client.title}, ${kind}`, traits, target, server);
  describeClientLetters(client, kind, open);
  if (kind === 'transactional') describeClientLogs(client, open);
}
