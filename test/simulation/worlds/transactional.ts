import type { OnEvent, OnEvents } from '../../../src/handle/types.js';
import type { Choices } from '../kernel/choices.js';
import type { Process } from '../kernel/process.js';
import { World } from '../kernel/world.js';
import { SECRET } from '../models/sender.js';
import { TransactionalTable, type Tx } from '../models/transactional-table.js';
import { CommittedTogether } from '../oracle/committed.js';
import { Drains } from '../oracle/drains.js';
import { Ledger } from '../oracle/ledger.js';
import { Letters } from '../oracle/letters.js';
import type { Subject } from '../subject/load.js';
import { playFleet } from './fleet.js';
import type { WorldDefinition } from './world-definition.js';

const LEASE_MS = 1000;
const TIMEOUT_MS = 250;
const HORIZON_MS = 3000;

/** How long a handler may take, and what the option says: the lease leaves no more than the last. */
const LIMITS = [
  { handlerMs: 300, handlerTimeoutMs: 300 },
  { handlerMs: 900, handlerTimeoutMs: 30_000 },
] as const;

const WAYS = [
  ...['succeeds', 'succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'fails between', 'is slow'],
  ...['does not await', 'writes again later'],
] as const;
/** Handlers that end their transaction leave a key that is neither recorded nor a dead letter. */
const ENDINGS = ['commits', 'commits between', 'rolls back'] as const;

/** What handlers may do, their time, and what they fail with. */
interface Habits {
  readonly ways: readonly ((typeof WAYS)[number] | (typeof ENDINGS)[number])[];
  readonly timeoutMs: number;
  /** Then they succeed. */
  readonly horizonMs: number;
  failure(message: string): Error;
}

/** Replicas whose handlers write in the transaction that records the key. */
export const transactional: WorldDefinition = {
  name: 'transactional',
  play: (choices, subject) => play(choices, subject, false),
};

/** The same, with events whose handlers fail too often and become dead letters. */
export const transactionalLetters: WorldDefinition = {
  name: 'transactional-letters',
  play: (choices, subject) => play(choices, subject, true),
};

async function play(choices: Choices, subject: Subject, hasLetters: boolean): Promise<World> {
  const world = new World(choices);
  const server = world.server('database');
  const table = new TransactionalTable(server, { leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS, horizonMs: HORIZON_MS });
  const committed = new CommittedTogether(world, {
    commits: () => table.commits,
    recorded: () => keysOf(table, 'done').filter((key) => !table.letters.discarded.has(key)),
    unknown: () => keysOf(table, 'open'),
    effects: () => table.effects,
  });
  const letters = hasLetters ? new Letters(world, table.letters, true) : undefined;
  const isEach = choices.below(2) === 1;
  const { handlerMs, handlerTimeoutMs } = choices.pick(LIMITS);
  const habits: Habits = {
    ways: letters ? WAYS : [...WAYS, ...ENDINGS],
    timeoutMs: handlerMs,
    horizonMs: HORIZON_MS,
    failure: (message) => letters?.failure(subject, message) ?? new Error(message),
  };
  const ledger = new Ledger(world);
  const drains = new Drains(world, ledger);

  async function handle(process: Process, tx: Tx, keys: readonly string[]): Promise<void> {
    const runs = keys.map((key) => ledger.begin(process, key, key));
    for (const run of runs) drains.began(run);
    try {
      await writeEffects(process, tx, keys, habits);
    } finally {
      for (const run of runs) ledger.end(run, 'resolved');
    }
  }

  function open(process: Process) {
    const common = {
      secret: SECRET,
      store: table.store(process, subject),
      handlerTimeoutMs,
      deadLetters: letters?.limits,
    };
    const onEvents: OnEvents<Tx> = (events, { tx }) => handle(process, tx, events.map(keyOf));
    const onEvent: OnEvent<Tx> = (_, { tx, idempotencyKey }) => handle(process, tx, [idempotencyKey]);
    const receiver = subject.createReceiver(isEach ? { ...common, onEvents } : { ...common, onEvent, concurrency: 2 });
    return { receiver };
  }

  const restartServer = () => server.stopFor(choices.pick([5, 100, 400, 1200]));
  // Somebody looks at the open keys when everything has calmed down.
  for (let time = 2; time < 12; time++) world.after(time * HORIZON_MS, () => table.settle());
  await playFleet(world, {
    replicas: 2 + choices.below(2),
    open,
    servers: [server],
    kinds: ['crash', 'pause', 'stall', 'cut', 'cut', 'half open', 'server pause', 'sleep', 'clock'],
    others: () => [restartServer],
    horizonMs: HORIZON_MS,
    leaseMs: LEASE_MS,
    handlerMs,
    mostFaults: 3,
    drains,
    letters,
    onAnswer(_, result) {
      letters?.answered(result);
      committed.answered(result, (key) => letters?.isKept(key) === true);
    },
  });
  return world;
}

/** Writes effects, as people do and as they should not. */
export async function writeEffects(
  process: Process,
  tx: Tx,
  keys: readonly string[],
  { ways, timeoutMs, horizonMs, failure }: Habits,
): Promise<void> {
  const { choices, now, history } = process.world;
  const way = now < horizonMs ? choices.pick(ways) : 'succeeds';
  history.add(process.name, `has a handler that ${way}`);
  const wait = (ms: number) => new Promise<void>((resolve) => process.setTimeout(resolve, ms));
  const throws = choices.below(2) === 1;

  if (choices.oneIn(3)) await wait(choices.below(timeoutMs / 3));
  if (way === 'fails before') throw failure('The handler fails.');
  if (way === 'is slow') await wait(timeoutMs * (0.8 + choices.below(20) / 5));
  if (way === 'does not await') {
    for (const key of keys) tx.write(key).catch(() => {});
    return;
  }
  for (const [at, key] of keys.entries()) {
    await tx.write(key);
    if (at > 0) continue;
    if (way === 'fails between') throw failure('The handler fails between its effects.');
    if (way === 'commits between') await tx.end('COMMIT');
    if (way === 'commits between' && throws) throw new Error('The handler fails after it has committed.');
  }
  if (way === 'commits') await tx.end('COMMIT');
  if (way === 'rolls back') await tx.end('ROLLBACK');
  if (way === 'fails after' || (throws && (way === 'commits' || way === 'rolls back'))) {
    throw failure('The handler fails after its effects.');
  }
  if (way === 'writes again later') {
    process.setTimeout(() => tx.write(keys[0] as string).catch(() => {}), choices.below(timeoutMs));
  }
}

const keyOf = ({ idempotencyKey }: { readonly idempotencyKey: string }) => idempotencyKey;

function keysOf({ rows }: TransactionalTable, state: 'done' | 'open'): string[] {
  return [...rows].filter(([, each]) => each === state).map(([key]) => key);
}
