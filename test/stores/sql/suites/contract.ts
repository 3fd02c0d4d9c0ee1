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

/** The contract of stores, with both modes of a driver whose server goes away, too. */
export function describeContract(client: SqlClient, { open, server }: SqlServer): void {
  for (const kind of ['lease', 'transactional'] as const) {
    describeMode(client, kind, () => open(client), client.crashes ? undefined : server);
  }
}

/** What transactions, errors, many connections and long statements show. The others send what the driver has sent. */
const WRAPPED = /^(a transaction|an outage): |two hundred|rethrows|thousand|overlapping/;

/**
 * The contract of stores, with a client that wraps a driver: its transactions and, unless the driver runs them, the
 * statements for leases, dead letters, records and logs.
 */
export function describeWrapped(client: SqlClient, { open }: SqlServer, away?: () => TestServer): void {
  describeKind(client, 'transactional', () => open(client), away, WRAPPED);
  if (client.connectsByDriver) return;
  describeClientLetters(client, 'lease', () => open(client));
  describeClientLogs(client, () => open(client));
}

/** The contract of stores, with one mode of a client. */
export function describeMode(
  client: SqlClient,
  kind: Kind,
  open: () => Promise<Opened>,
  server?: () => TestServer,
): void {
  describeKind(client, kind, open, server);
  describeClientLetters(client, kind, open);
  if (kind === 'transactional') describeClientLogs(client, open);
}

function describeKind(
  client: SqlClient,
  kind: Kind,
  open: () => Promise<Opened>,
  server?: () => TestServer,
  cases?: RegExp,
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
  describeStore(`${client.title}, ${kind}`, traits, target, server, cases);
}
