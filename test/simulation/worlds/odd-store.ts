import type { Deadline } from '../../../src/handle/deadline.js';
import type { IdempotencyStore, LeaseStore, StoreWord, TransactionalStore } from '../../../src/stores/store.js';
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
/** Leaves the handler its time. */
const LEASE_MS = HANDLER_MS / 0.9;
const HORIZON_MS = 2000;
/** What a store may answer by mistake. `duplicate` is believed: nobody else can know. */
const WORDS: readonly unknown[] = [undefined, null, '', 'done', 'HANDLED', 'handled', 'claimed', true, 0, 1n];
/** What a store may answer by mistake for all keys. */
const ANSWERS: readonly unknown[] = [undefined, null, 'handled', {}, [], ['handled', 'handled'], new Map(), new Set()];

/** What a transactional store of one's own may do wrong. */
const TRANSACTIONAL_WAYS = [
  ...(['no run', 'says handled', 'wrong word', 'hides a failure', 'runs twice', 'throws', 'runs late'] as const),
  ...(['runs with other keys', 'settles before its run', 'settles before its run'] as const),
] as const;

/** What a lease store of one's own may do wrong. */
const LEASE_WAYS = {
  claim: ['throws', 'answers late', 'never answers', 'wrong answer', 'wrong words'],
  record: ['throws', 'answers late', 'never answers', 'wrong answer', 'wrong words', 'records nothing'],
  release: ['throws', 'answers late', 'never answers', 'wrong answer'],
} as const;

/** A store that does not keep the contract of a store, until the horizon. */
export const oddStore: WorldDefinition = {
  name: 'odd-store',
  async play(choices: Choices, subject: Subject): Promise<World> {
    const world = new World(choices);
    const ledger = new Ledger(world);
    const form = choices.pick(FORMS);
    const odd = choices.below(2) === 0 ? oddTransactional : oddLeases;
    await playFleet(world, {
      replicas: 1,
      open: (process) => ({
        receiver: subject.createReceiver({
          secret: SECRET,
          store: odd(subject, process),
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

/** What goes wrong with a call; undefined for nothing. */
function chosen<Way extends string>({ world }: Process, ways: readonly Way[]): Way | undefined {
  const { choices } = world;
  if (world.now >= HORIZON_MS || !choices.oneIn(2)) return undefined;
  const way = choices.pick(ways);
  world.history.add('store', way);
  return way;
}

const pause = (process: Process, ms: number) => new Promise<void>((resolve) => process.setTimeout(resolve, ms));

/** A transactional store around a good one, without a transaction. */
function oddTransactional(subject: Subject, process: Process): IdempotencyStore {
  const { choices } = process.world;
  const good = subject.onceOf<undefined>(subject.memoryStore());
  const once: TransactionalStore<undefined>['once'] = async (keys, step, run, limit) => {
    const way = chosen(process, TRANSACTIONAL_WAYS);
    const answer = (word: unknown) => new Map(keys.map((key) => [key, word as StoreWord]));
    const running = async (of = keys) => run(new Map(of.map((key) => [key, {}])), undefined);
    if (way === undefined) return good(keys, step, run, limit as Deadline);
    if (way === 'throws') throw new Error('The store is odd.');
    if (way === 'wrong word') return answer(choices.pick(WORDS));
    if (way === 'says handled') return answer('handled');
    if (way === 'no run') return choices.pick(ANSWERS) as Map<string, StoreWord>;
    if (way === 'hides a failure') await running().catch(() => {});
    if (way === 'runs twice') await Promise.all([running(), running()]);
    if (way === 'runs with other keys') await running(choices.pick([[], ['other'], [...keys, 'other']]));
    if (way === 'runs late') process.setTimeout(() => void running().catch(() => {}), choices.below(2 * HANDLER_MS));
    if (way !== 'settles before its run') return answer('handled');
    let isRunning = false;
    const work = good(
      keys,
      step,
      (fresh, tx) => {
        isRunning = true;
        return run(fresh, tx);
      },
      limit as Deadline,
    );
    const early = async () => {
      await pause(process, choices.below(2 * HANDLER_MS));
      const word = choices.pick(['error', 'in-progress', 'unknown', 'handled', 'duplicate'] as const);
      // Without a run, nobody else can know.
      if (word === 'error' || (word === 'duplicate' && !isRunning)) throw new Error('The store takes no longer.');
      return answer(word);
    };
    return Promise.race([work, early()]);
  };
  return { once };
}

/** A lease store around a good one. */
function oddLeases(subject: Subject, process: Process): LeaseStore {
  const { choices } = process.world;
  const good = subject.memoryStore({ leaseMs: LEASE_MS });

  async function call<Answer>(
    method: keyof typeof LEASE_WAYS,
    keys: readonly string[],
    serve: () => Promise<Answer>,
  ): Promise<Answer> {
    const way = chosen(process, LEASE_WAYS[method]);
    if (way === 'throws' && choices.oneIn(2)) throw new Error('The store is odd.');
    if (way === 'records nothing') return new Map(keys.map((key) => [key, false])) as Answer;
    const answer = await serve();
    if (way === 'throws') throw new Error('The answer is lost.');
    if (way === 'never answers') await new Promise(() => {});
    if (way === 'answers late') await pause(process, choices.below(3 * HANDLER_MS));
    if (way === 'wrong answer') return choices.pick(ANSWERS) as Answer;
    if (way === 'wrong words') return new Map(keys.map((key) => [key, choices.pick(WORDS)])) as Answer;
    return answer;
  }

  return {
    leaseMs: LEASE_MS,
    claim: (keys, ...rest) => call('claim', keys, () => good.claim(keys, ...rest)),
    record: (keys, ...rest) => call('record', keys, () => good.record(keys, ...rest)),
    release: (keys, owner) => call('release', keys, () => good.release(keys, owner)),
  };
}
