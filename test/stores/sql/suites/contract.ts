import {
  describeLeaseOutages,
  describeStore,
  describeStoreOutages,
  type StoreTarget,
} from '../../../contracts/store.js';
import type { SqlClient, SqlServer } from '../client.js';

/** The contract of stores, with both modes of a client. */
export function describeContract(client: SqlClient, { open, server }: SqlServer): void {
  for (const kind of ['lease', 'transactional'] as const) {
    if (kind === 'lease' && client.connectsByDriver) continue;
    const title = `${client.title}, ${kind}`;
    const target = (): StoreTarget => ({
      open: async (settings) => (await open(client))[kind](settings),
      passTime: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    describeStore(title, { meanwhile: 'in-progress', shared: true, leases: kind === 'lease' }, target);
    describeStoreOutages(title, target, server);
    if (kind === 'lease') describeLeaseOutages(title, target, server);
  }
}
