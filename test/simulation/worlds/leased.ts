import type { Leases as LeaseWrites } from '../../../src/stores/leased.js';
import type { Process } from '../kernel/process.js';
import { request } from '../kernel/request.js';
import type { World } from '../kernel/world.js';
import { LeaseTable } from '../models/lease-table.js';
import { Wire } from '../models/wire.js';
import type { LeaseCall } from '../oracle/lease-claims.js';
import type { Leases } from '../oracle/leases.js';
import { leaseWorld } from './lease-world.js';

/** Asks the server to do something, and resolves to its answer. */
type Send = <T>(serve: () => T) => Promise<T>;

/** Over connections, which may send a command again, or over HTTP, where requests overtake one another and are doubled. */
function senderFor(world: World, horizonMs: number): (process: Process, table: LeaseTable) => Send {
  const way = world.choices.pick(['HTTP', 'connection', 'connection that resends'] as const);
  return (process, { server }) => {
    if (way === 'HTTP') {
      const faults = () => ({ oneIn: world.now < horizonMs ? 12 : 0, doubles: true });
      return (serve) => request(process, server, (reply) => reply(serve()), faults);
    }
    const wire = new Wire(process, server, { resends: way !== 'connection', silentMs: 300 });
    return (serve) => wire.call(serve);
  };
}

/** The writes of a user, with the oracle told of what is asked, served and answered. */
function writesOf(process: Process, table: LeaseTable, send: Send, leases: Leases): LeaseWrites {
  function call<T>(kind: LeaseCall, key: string, owner: string, serve: () => T): Promise<T> {
    const told = leases.asked(process, kind, [key], [owner]);
    const sent = send(() => {
      const word = serve();
      leases.served(kind, key, owner, word);
      return word;
    });
    sent.then(
      (word) => told.answered([word]),
      () => told.failed(),
    );
    return sent;
  }
  return {
    claim: (key, owner, ms) => call('claim', key, owner, () => table.claim(key, owner, ms)),
    record: (key, owner, ms) => call('record', key, owner, () => table.record(key, owner, ms)),
    release: (key, owner) => call('release', key, owner, () => table.release(key, owner)),
  };
}

/** Replicas with `leasedStore` over a table of somebody's own. */
export const leased = leaseWorld(
  'leased',
  '2–3 replicas with `leasedStore` over a table with atomic writes and fencing tokens, over connections or HTTP; every form of handler and every fault.',
  (world, subject, { leaseMs, timeoutMs, horizonMs }) => {
    const table = new LeaseTable(world.server('table'));
    const sender = senderFor(world, horizonMs);
    return {
      server: table.server,
      pausesInSilence: false,
      store: (process, leases) =>
        subject.leasedStore(writesOf(process, table, sender(process, table), leases), { leaseMs, timeoutMs }),
    };
  },
);
