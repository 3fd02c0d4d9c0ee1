import { unique } from './call.js';
import type { Cases } from './cases.js';
import { needsLease } from './leases.js';
import type { Trial } from './trial.js';
import { TWICE } from './words.js';

const HOUR_MS = 3_600_000;
const LEASE_MS = 5000;

/** Steps of the clocks, in ms. */
interface Steps {
  readonly monotonic?: number;
  readonly wall?: number;
}

/** Sets the clocks of this process, while timers and sockets stay as they are, like a freeze. Returns how to undo it. */
function step<Tx>(trial: Trial<Tx>, { monotonic = 0, wall = 0 }: Steps): () => void {
  const undo = [shift(performance, monotonic), shift(Date, wall)];
  let isUndone = false;
  const restore = () => {
    if (isUndone) return;
    isUndone = true;
    for (const each of undo) each();
  };
  trial.onEnd(restore);
  return restore;
}

function shift(clock: { now(): number }, ms: number): () => void {
  const original = Object.getOwnPropertyDescriptor(clock, 'now');
  const now = clock.now.bind(clock);
  Object.defineProperty(clock, 'now', { value: () => now() + ms, configurable: true, writable: true });
  return () => {
    if (original) Object.defineProperty(clock, 'now', original);
    else Reflect.deleteProperty(clock, 'now');
  };
}

const NOT_STARTED =
  'The process is frozen after it sent a claim, and thaws when the lease is over (compare performance.now() and Date.now() with their values before the claim, in the turn in which run is called)';

const TAKEN_OVER = `another replica has taken over in the meantime, and ${TWICE}`;

/** Expects that no run starts when its lease is over. */
async function frozen<Tx>(trial: Trial<Tx>, clocks: Steps): Promise<void> {
  const [store, other] = await trial.replicas({ leaseMs: LEASE_MS });
  needsLease(store);
  // Opens its connections.
  await trial.patiently(() => trial.once(store, unique()), 'The first call of a key');
  const key = unique();
  const claiming = trial.once(store, key);
  // A store that claims in the same turn cannot be frozen in between.
  if (isRun(claiming)) return;
  const restore = step(trial, clocks);
  // The store may have another clock, which `passTime` advances in this turn.
  const passing = trial.options.passTime && trial.passTime(2 * LEASE_MS);
  await trial.settled(claiming, NOT_STARTED).finally(restore);
  await trial.notAcknowledged(claiming, NOT_STARTED, TAKEN_OVER);
  await passing;
  await trial.eventually(
    () => trial.once(other, key),
    ['handled'],
    'A run was not started after a freeze; its event is redelivered',
  );
}

// In a function: the type checker does not see that the count changes.
const isRun = ({ runs }: { readonly runs: number }) => runs > 0;

export const clockCases: Cases = {
  'starts no run when its lease is over': (trial) => frozen(trial, { monotonic: HOUR_MS, wall: HOUR_MS }),

  'starts no run when its lease is over by the monotonic clock alone': (trial) =>
    frozen(trial, { monotonic: HOUR_MS, wall: -HOUR_MS }),

  'starts no run when its lease is over by the wall clock alone': (trial) => frozen(trial, { wall: HOUR_MS }),

  async 'starts its run if the wall clock is set back in the meantime'(trial) {
    const [store] = await trial.replicas({ leaseMs: 60_000 });
    needsLease(store);
    const claiming = trial.once(store, unique());
    const restore = step(trial, { wall: -HOUR_MS });
    await trial.settled(claiming, 'The wall clock is set back during a claim').finally(restore);
    await trial.handled(claiming, 'The wall clock is set back during a claim');
  },
};
