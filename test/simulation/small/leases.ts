import { KeyLedger } from './key-ledger.js';
import type { SmallProcess } from './small-process.js';
import { addReplicas } from './small-replicas.js';
import { type SmallDefinition, SmallWorld } from './small-world.js';

const LEASE_MS = 1000;
const MOST_FAULTS = 1;

interface Row {
  owner: string;
  isDone: boolean;
  expiresAt: number;
}

/** Two replicas with `leasedStore` over a table with one row, whose statements are atomic. */
export const leases: SmallDefinition = {
  name: 'leases',
  depth: 8,
  play(subject, decide) {
    const world = new SmallWorld(MOST_FAULTS);
    const ledger = new KeyLedger(world);
    let row: Row | undefined;
    const held = () => (row !== undefined && row.expiresAt > world.now ? row : undefined);
    world.add({
      bounds: () => (row && !row.isDone ? [row.expiresAt] : []),
      state: () => {
        const each = held();
        if (each === undefined) return '';
        return each.isDone ? `${each.owner} is done` : `${each.owner} ${world.until(each.expiresAt)}`;
      },
    });

    const storeOf = (process: SmallProcess) =>
      subject.leasedStore(
        {
          claim: (_key, owner, leaseMs) =>
            world.ask(
              process,
              `claim ${owner}`,
              () => {
                const other = held();
                if (other && other.owner !== owner) return other.isDone ? 'duplicate' : 'in-progress';
                row = { owner, isDone: false, expiresAt: world.now + leaseMs };
                ledger.granted(owner, row.expiresAt);
                return 'claimed';
              },
              (word) => {
                if (word === 'claimed') process.claim = ledger.claimOf(owner);
              },
            ),
          record: (_key, owner, retentionMs) =>
            world.ask(process, `record ${owner}`, () => {
              const other = held();
              if (other && other.owner !== owner) return false;
              row = { owner, isDone: true, expiresAt: world.now + retentionMs };
              ledger.recorded(owner);
              return true;
            }),
          release: (_key, owner) =>
            world.ask(process, `release ${owner}`, () => {
              if (row?.owner !== owner || row.isDone) return false;
              row = undefined;
              ledger.released(owner);
              return true;
            }),
        },
        { leaseMs: LEASE_MS, retentionMs: 1e9, timeoutMs: 500 },
      );

    const start = addReplicas(world, subject, ledger, {
      ...{ names: ['A', 'B'], storeOf, handlerTimeoutMs: 500, deliveries: 2 },
    });
    return world.play(start, decide);
  },
};
