import { eachKey } from '../../../src/stores/each-key.js';
import type { Leases as LeaseWrites } from '../../../src/stores/leased.js';
import type { LeaseTable as LeaseTableCalls } from '../../../src/stores/leased-store.js';
import { DEFAULT_RETENTION_MS, type Step } from '../../../src/stores/store.js';
import type { Process } from '../kernel/process.js';
import { request } from '../kernel/request.js';
import type { World } from '../kernel/world.js';
import { LeaseTable } from '../models/lease-table.js';
import { Wire } from '../models/wire.js';
import type { LeaseCall } from '../oracle/lease-claims.js';
import type { Leases } from '../oracle/leases.js';
import { Letters } from '../oracle/letters.js';
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
function writesOf(process: Process, table: LeaseTable, send: Send, leases: Leases) {
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
    claim: (key: string, owner: string, ms: number, from?: Step['from']) =>
      call('claim', key, owner, () => table.claim(key, owner, ms, from)),
    record: (key: string, owner: string, ms: number) => call('record', key, owner, () => table.record(key, owner, ms)),
    release: (key: string, owner: string) => call('release', key, owner, () => table.release(key, owner)),
  } satisfies LeaseWrites;
}

/** The same writes below the code that all lease stores share, with dead letters. */
function tableOf(table: LeaseTable, writes: ReturnType<typeof writesOf>, send: Send, leaseMs: number): LeaseTableCalls {
  return {
    claim: (keys, owner, { from }) =>
      eachKey(keys, async (key) => {
        const word = await writes.claim(key, owner, leaseMs, from);
        if (word === 'claimed') return {};
        return typeof word === 'bigint' ? { token: word, abandoned: table.abandoned.has(word) } : word;
      }),
    async record(keys, owner) {
      const recorded = await eachKey(keys, (key) => writes.record(key, owner, DEFAULT_RETENTION_MS));
      return new Set(keys.filter((key) => recorded.get(key)));
    },
    release: (keys, owner) => eachKey(keys, (key) => writes.release(key, owner)),
    letters: table.letters.store(send),
  };
}

/** Replicas with `leasedStore` over a table of somebody's own. */
export const leased = leaseWorld('leased', (world, subject, { leaseMs, timeoutMs, horizonMs }) => {
  const table = new LeaseTable(world.server('table'));
  const sender = senderFor(world, horizonMs);
  return {
    server: table.server,
    pausesInSilence: false,
    store: (process, leases) =>
      subject.leasedStore(writesOf(process, table, sender(process, table), leases), { leaseMs, timeoutMs }),
  };
});

/** The same, with events whose handlers fail too often and become dead letters. */
export const leasedLetters = leaseWorld('leased-letters', (world, subject, { leaseMs, timeoutMs, horizonMs }) => {
  const table = new LeaseTable(world.server('table'));
  const sender = senderFor(world, horizonMs);
  const options = subject.resolveLeaseOptions({ leaseMs, timeoutMs });
  return {
    server: table.server,
    pausesInSilence: false,
    store(process, leases) {
      const send = sender(process, table);
      return subject.storeOfLeases(tableOf(table, writesOf(process, table, send, leases), send, leaseMs), options);
    },
    letters: new Letters(world, table.letters),
  };
});
