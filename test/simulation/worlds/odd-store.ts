import type { IdempotencyStore, StoreWord } from '../../../src/stores/store.js';
import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { SECRET } from '../models/sender.js';
import { Ledger } from '../oracle/ledger.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import { FORMS, userCode } from './user-code.js';
import type { WorldDefinition } from './world-definition.js';

const HANDLER_MS = 300;
const HORIZON_MS = 2000;
/** What a store may answer by mistake. `duplicate` is believed: nobody else can know. */
const WORDS: readonly unknown[] = [
  undefined,
  null,
  '',
  'done',
  'HANDLED',
  true,
  0,
  {},
  [],
  ['handled', 'handled', 'handled'],
];

/** What a store of one's own may do wrong with a run. */
const WAYS = ['no run', 'says handled', 'wrong word', 'hides a failure', 'runs twice', 'throws', 'runs late'] as const;

/** A store that does not keep the contract of a store, until the horizon. */
export const oddStore: WorldDefinition = {
  name: 'odd-store',
  about: 'One replica with a store that breaks its contract: wrong words, no run, two runs, hidden failures.',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const form = choices.pick(FORMS);
    await playFleet(world, {
      replicas: 1,
      open: (process) => ({
        store: undefined,
        receiver: subject.createReceiver({
          secret: SECRET,
          store: odd(subject.memoryStore(), process, choices),
          handlerTimeoutMs: HANDLER_MS,
          ...userCode(form, subject, process, ledger, { timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS }),
        }),
      }),
      horizonMs: HORIZON_MS,
      leaseMs: 0,
      handlerMs: 1.5 * HANDLER_MS,
      mostFaults: 0,
      onAnswer: (events, result) => ledger.acknowledged(events, result),
    });
    return world;
  },
};

/** A store around a good one. */
function odd(store: IdempotencyStore, process: Process, choices: Choices): IdempotencyStore {
  const { world } = process;

  /** What goes wrong with this call; undefined for nothing. */
  function chosen(): (typeof WAYS)[number] | undefined {
    if (world.now >= HORIZON_MS || !choices.oneIn(2)) return undefined;
    const way = choices.pick(WAYS);
    world.history.add('store', way);
    return way;
  }

  async function call<Words>(good: () => Promise<Words>, run: () => Promise<void>, handled: Words): Promise<Words> {
    const way = chosen();
    if (way === undefined) return good();
    if (way === 'throws') throw new Error('The store is odd.');
    if (way === 'wrong word') return choices.pick(WORDS) as Words;
    if (way === 'says handled') return handled;
    if (way === 'no run') return undefined as Words;
    if (way === 'hides a failure')
      return run().then(
        () => handled,
        () => handled,
      );
    if (way === 'runs twice') return Promise.all([run(), run()]).then(() => handled);
    process.setTimeout(() => void run().catch(() => {}), choices.below(2 * HANDLER_MS));
    return choices.pick([handled, undefined as Words]);
  }

  return {
    once: (key, run) =>
      call(
        () => store.once(key, run),
        () => run(undefined),
        'handled',
      ),
    onceEach: (keys, run) =>
      call<readonly StoreWord[]>(
        async () => (await store.onceEach?.(keys, run)) ?? [],
        () => run(keys, undefined),
        keys.map(() => 'handled' as const),
      ),
  };
}
