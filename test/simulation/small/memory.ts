import { KeyLedger } from './key-ledger.js';
import { addReplicas } from './small-replicas.js';
import { type SmallDefinition, SmallWorld } from './small-world.js';

const LEASE_MS = 1000;
const MOST_FAULTS = 2;

/** One replica with `memoryStore`: its claims are granted in the turn in which they are made. */
export const memory: SmallDefinition = {
  name: 'memory',
  depth: 60,
  play(subject, decide) {
    const world = new SmallWorld(MOST_FAULTS);
    const ledger = new KeyLedger(world);
    const start = addReplicas(world, subject, ledger, {
      ...{ names: ['A'], handlerTimeoutMs: 300, deliveries: 3 },
      storeOf(process) {
        // A process that dies takes what it remembers with it.
        ledger.effects.length = 0;
        const store = subject.memoryStore({ leaseMs: LEASE_MS });
        return {
          ...store,
          async claim(keys, owner, step) {
            const answers = await store.claim(keys, owner, step);
            const isClaimed = keys.some((key) => typeof answers.get(key) === 'object');
            if (isClaimed) process.claim = ledger.granted(owner, world.now + LEASE_MS);
            return answers;
          },
          async record(keys, owner, step) {
            const recorded = await store.record(keys, owner, step);
            if (keys.every((key) => recorded.get(key))) ledger.recorded(owner);
            return recorded;
          },
          async release(keys, owner) {
            await store.release(keys, owner);
            ledger.released(owner);
          },
        };
      },
    });
    return world.play(start, decide);
  },
};
