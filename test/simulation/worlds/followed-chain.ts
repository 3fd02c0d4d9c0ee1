import type { DeadLetter } from '../../../src/handle/dead-letter.js';
import type { EventEntry, EventsContext, OnEvent, OnEvents } from '../../../src/handle/types.js';
import { planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Level } from '../models/chain/network.js';
import { ChainService } from '../models/chain/service.js';
import { SECRET, Sender } from '../models/sender.js';
import type { TransactionalTable, Tx } from '../models/transactional-table.js';
import type { Drains } from '../oracle/drains.js';
import type { Ledger } from '../oracle/ledger.js';
import type { Letters } from '../oracle/letters.js';
import type { Direction, ReorgsOracle } from '../oracle/reorgs.js';
import type { Subject } from '../subject/load.js';
import { ChainSetup, type Change, silent } from './chain-setup.js';
import { type Replica, Replicas } from './replicas.js';
import { writeEffects } from './transactional.js';

export const LEASE_MS = 1000;
export const HORIZON_MS = 10_000;
const HANDLER_MS = 600;
const MOST_LAST_PASSES = 40;
const LEVELS: readonly Level[] = ['finalized', 'finalized', 'finalized', 'safe', { confirmations: 2 }];
const CHANGES: readonly Change[] = ['mine', 're-org', 'put back', 'put back', 're-org', 'mine', 'finalize'];
const WAYS = ['succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'is slow'] as const;

interface Parts {
  readonly world: World;
  readonly subject: Subject;
  readonly table: TransactionalTable;
  readonly oracle: ReorgsOracle;
  readonly ledger: Ledger;
  readonly drains: Drains;
  readonly letters: Letters | undefined;
  readonly chainId: number;
}

/** A chain with its nodes, the service that watches it, and the replicas whose effects follow it. */
export class FollowedChain {
  /** Whether every delivery is acknowledged, and a pass has found all logs final. */
  isAtRest = false;
  readonly #setup: ChainSetup;
  readonly #service: ChainService;
  readonly #sender: Sender;
  readonly #replicas: Replicas;
  readonly #options;
  readonly #habits;
  /** What each process did last with the log of a key. */
  readonly #directions = new Map<Process, Map<string, Direction>>();

  constructor(private readonly parts: Parts) {
    const { world, oracle, chainId, letters, subject } = parts;
    const { choices } = world;
    const chain = String(chainId);
    const urls = choices.pick([1, 1, 2]);
    const level = choices.pick(LEVELS);
    const agree = choices.pick([1, urls]);
    const intervalMs = choices.pick([3000, 1000, false] as const);
    const failure = (message: string) => letters?.failure(subject, message) ?? new Error(message);
    this.#habits = { ways: WAYS, timeoutMs: HANDLER_MS, horizonMs: HORIZON_MS, failure };
    this.#options = { level, agree, intervalMs, isEach: choices.below(2) === 1 };
    world.history.add('world', `follows chain ${chain}`, { urls, ...this.#options });
    this.#setup = new ChainSetup(world, { level, urls, agree, chainId, horizonMs: HORIZON_MS, changes: CHANGES });
    oracle.addChain(chain, this.#setup.network);
    const names = Array.from({ length: choices.pick([2, 1, 3]) }, (_, at) => `app-${at + 1}-of-${chain}`);
    this.#replicas = new Replicas(world, names, (process) => this.#open(process));
    this.#setup.connect(this.#replicas);
    this.#sender = new Sender(world, {
      ...{ targets: this.#replicas.all, horizonMs: HORIZON_MS, timeoutMs: 2 * HANDLER_MS, backoffMs: 1000 },
      onAnswer: (_, result) => oracle.answered(chain, result),
    });
    const lagMs = choices.pick([0, 100, 2000]);
    const losesOneIn = choices.pick([0, 3]);
    this.#service = new ChainService(world, this.#setup.network, this.#sender, { lagMs, delayMs: 4000, losesOneIn });
  }

  /** Plans what happens to the chain, its nodes and the replicas. */
  live(others: readonly (() => void)[]): void {
    const { world, letters, drains } = this.parts;
    const { choices } = world;
    const replicas = this.#replicas;
    const { all } = replicas;
    replicas.startAll();
    this.#setup.live(3 + choices.below(8));
    for (let passes = choices.below(6); passes > 0; passes--) {
      world.after(choices.below(HORIZON_MS - 300), () => {
        this.#pass(choices.pick(all));
        // The chain changes during the pass, and other replicas make some.
        for (let changes = choices.below(3); changes > 0; changes--) {
          world.after(choices.below(300), () => this.#setup.change());
        }
        for (let others = choices.below(5); others > 0; others--) {
          world.after(choices.below(300), () => this.#pass(choices.pick(all)));
        }
      });
    }
    letters?.operate(all, HORIZON_MS, (replica) => replicas.kill(replica, LEASE_MS));
    planFaults(world, {
      replicas,
      servers: world.servers,
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep', 'cut', 'half open', 'server pause', 'server clock'],
      others: [this.#setup.strike, this.#setup.strike, this.#setup.lie, () => replicas.stop(drains), ...others],
      horizonMs: HORIZON_MS,
      most: 5,
      longMs: LEASE_MS,
    });
    world.after(HORIZON_MS + 3000, () => this.#rest());
  }

  #open(process: Process) {
    const { subject, table, chainId, letters, world } = this.parts;
    const { level, agree, intervalMs, isEach } = this.#options;
    this.#directions.delete(process);
    const onDeadLetter = ({ idempotencyKey: key, isReversal }: DeadLetter) => {
      const direction = this.#directions.get(process)?.get(key);
      if ((direction === '-') !== Boolean(isReversal))
        world.fail('letter of the other side', `${key} failed at ${direction}.`);
    };
    const { rpcUrl } = this.#setup;
    const common = {
      ...{ secret: SECRET, logger: silent, store: table.store(process, subject), handlerTimeoutMs: HANDLER_MS },
      reorgs: subject.chainReorgs({ rpcUrl, chainId, level, agree, intervalMs, timeoutMs: 400, logger: silent }),
      ...(letters && { deadLetters: letters.limits, onDeadLetter }),
    };
    const receiver = subject.createReceiver(
      isEach
        ? { ...common, onEvents: this.#all(process, '+'), onRevertedEvents: this.#all(process, '-') }
        : { ...common, onEvent: this.#one(process, '+'), onReverted: this.#one(process, '-'), concurrency: 2 },
    );
    return { receiver };
  }

  #one(process: Process, direction: Direction): OnEvent<Tx> {
    return (event, { idempotencyKey, ...context }) =>
      this.#handle(process, direction, [{ event, idempotencyKey }], context);
  }

  #all(process: Process, direction: Direction): OnEvents<Tx> {
    return (entries, context) => this.#handle(process, direction, entries, context);
  }

  /** Writes the effects in the transaction that changes the rows. */
  async #handle(
    process: Process,
    direction: Direction,
    entries: readonly EventEntry[],
    { tx, via, application }: EventsContext<Tx>,
  ): Promise<void> {
    const { oracle, ledger, drains, table, chainId } = this.parts;
    const pass = via === 'reorg' ? table.logs.passes.get(process) : undefined;
    const [chain, events] = [String(chainId), entries.map(({ event }) => event)];
    if (pass) oracle.changes(pass, direction, chain, events, this.#options.isEach);
    const effects = events.map((event) => oracle.effectOf(direction, chain, event, application));
    const directions = this.#directions.get(process) ?? new Map();
    this.#directions.set(process, directions);
    for (const { idempotencyKey } of entries) directions.set(idempotencyKey, direction);
    const run = ledger.begin(process, effects.join(', '), '');
    drains.began(run);
    try {
      await writeEffects(process, tx, effects, this.#habits);
    } finally {
      ledger.end(run, 'resolved');
    }
  }

  /** A pass of a replica; `then` is called with the number of logs that are left, unless it fails or is elsewhere. */
  #pass({ process, receiver }: Replica, then: (left: number) => void = () => {}): void {
    const { history } = this.parts.world;
    if (process.state === 'down' || receiver === undefined) return;
    process.deliver(0, () => {
      receiver
        .settleReorgs()
        .then((report) => {
          history.add(process.name, 'has settled', { ...report });
          if (!report.isElsewhere) then(report.open + report.failed);
        })
        .catch((error) => history.add(process.name, `cannot settle: ${error}`));
    });
  }

  /** Passes until nothing is left, once every delivery is acknowledged. */
  #rest(passes = 0): void {
    const { world, letters } = this.parts;
    if (this.isAtRest) return;
    if (passes > MOST_LAST_PASSES)
      world.fail('never at rest', `Not even in ${MOST_LAST_PASSES} passes without faults.`);
    const isQuiet = this.#sender.pending === 0 && this.#service.isDone;
    if (isQuiet) {
      const [replica] = this.#replicas.all as [Replica];
      if (letters?.isOver === false) letters.retry(replica);
      else {
        this.#pass(replica, (left) => {
          this.isAtRest ||= left === 0;
        });
      }
    }
    world.after(LEASE_MS, () => this.#rest(passes + Number(isQuiet)));
  }
}
