import { describeStore, type StoreTarget } from '../../../contracts/store.js';
import type { TestServer } from '../../../servers/server.js';
import { countOf, type Opened, type Run, type SqlClient, type SqlServer, write } from '../client.js';

/** The contract of stores, with both modes of a client. */
export function describeContract(client: SqlClient, { open, server }: SqlServer): void {
  for (const kind of ['lease', 'transactional'] as const) {
    if (kind === 'lease' && client.connectsByDriver) continue;
    describeMode(client, kind, () => open(client), server);
  }
}

/** The contract of stores, with one mode of a client. */
export function describeMode(
  client: SqlClient,
  kind: 'lease' | 'transactional',
  open: () => Promise<Opened>,
  server?: () => TestServer,
): void {
  let opened: Opened;
  const target: StoreTarget = {
    async open(settings) {
      opened = await open();
      return opened[kind](settings);
    },
    effects: { write: (tx: Run, id) => write(id)(tx), count: (id) => countOf(opened, id) },
  };
  // SQLite has one writer at a time.
  const meanwhile = kind === 'transactional' && client.dialect === 'sqlite' ? 'waits' : 'in-progress';
  const traits = { meanwhile, shared: true, leases: kind === 'lease' } as const;
  describeStore(`${client.title}, ${kind}`, traits, target, server);
}
