import type { DeadLetter } from '../../../src/handle/dead-letter.js';
import type { EventEntry, EventsContext, OnEvent, OnEvents } from '../../../src/handle/types.js';
import type { Receiver } from '../../../src/receiver/receiver.js';
import { planFaults } from '../kernel/faults.js';
import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { Level } from '../models/chain/network.js';
import { ChainService } from '../models/chain/service.js';
import { SECRET, Sender } from '../models/sender.js';
import type { TransactionalTable, Tx } from '../models/transactional-table.js';
import { createFetch } from '../models/web/fetch.js';
import type { Drains } from '../oracle/drains.js';
import type { Ledger } from '../oracle/ledger.js';
import type { Letters } from '../oracle/letters.js';
import type { Direction, ReorgsOracle } from '../oracle/reorgs.js';
import type { Subject } from '../subject/load.js';
import { ChainSetup, type Change } from './chain-setup.js';

export const LEASE_MS = 1000;
export const HORIZON_MS = 10_000;
const HANDLER_MS = 600;
const MOST_LAST_PASSES = 40;
const LEVELS: readonly Level[] = ['finalized', 'finalized', 'finalized', 'safe', { confirmations: 2 }];
const CHANGES: readonly Change[] = ['mine', 're-org', 'put back', 'put back', 're-org', 'mine', 'finalize'];
const WAYS = ['succeeds', 'succeeds', 'succeeds', 'fails before', 'fails after', 'is slow'] as const;
const logger = { debug() {}, info() {}, warn() {}, error() {} };

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

type Replica = { readonly process: Process; receiver: Receiver | undefined };

/** A chain with its nodes, the service that watches it, and the replicas whose effects follow it. */
export class FollowedChain {
  /** Whether every delivery is acknowledged, and a pass has found all logs final. */
  isAtRest = false;
  readonly #parts: Parts;
  readonly #setup: ChainSetup;
  readonly #service: ChainService;
  readonly #sender: Sender;
  readonly #replicas: readonly Replica[];
  readonly #options;
  /** What each process did last with the log of a key. */
  readonly #directions = new Map<Process, Map<string, Direction>>();

  constructor(parts: Parts) {
    const { world, oracle, chainId } = parts;
    const { choices } = world;
    const chain = String(chainId);
    const urls = choices.pick([1, 1, 2]);
    const level = choices.pick(LEVELS);
    const agree = choices.pick([1, urls]);
    const intervalMs = choices.pick([3000, 1000, false] as const);
    this.#parts = parts;
    this.#options = { level, agree, intervalMs, isEach: choices.below(2) === 1 };
    world.history.add('world', `follows chain ${chain}`, { urls, ...this.#options });
    this.#setup = new ChainSetup(world, { level, urls, agree, chainId, horizonMs: HORIZON_MS, changes: CHANGES });
    oracle.addChain(chain, this.#setup.network);
    this.#replicas = Array.from({ length: choices.pick([2, 1, 3]) }, (_, at): Replica => {
      const process = world.process(`app-${at + 1}-of-${chain}`);
      process.fetch = createFetch(process, this.#setup.sites, this.#setup.faults);
      return { process, receiver: undefined };
    });
    this.#sender = new Sender(world, {
      ...{ targets: this.#replicas, horizonMs: HORIZON_MS, timeoutMs: 2 * HANDLER_MS, backoffMs: 1000 },
      onAnswer: (_, result) => oracle.answered(chain, result),
    });
    const lagMs = choices.pick([0, 100, 2000]);
    const losesOneIn = choices.pick([0, 3]);
    this.#service = new ChainService(world, this.#setup.network, this.#sender, { lagMs, delayMs: 4000, losesOneIn });
  }

  /** Plans what happens to the chain, its nodes and the replicas. */
  live(others: readonly (() => void)[]): void {
    const { world } = this.#parts;
    const { choices } = world;
    for (const replica of this.#replicas) this.#start(replica);
    this.#setup.live(3 + choices.below(8));
    for (let passes = choices.below(6); passes > 0; passes--) {
      world.after(choices.below(HORIZON_MS - 300), () => {
        this.#pass(choices.pick(this.#replicas));
        // The chain changes during the pass, and other replicas make some.
        for (let changes = choices.below(3); changes > 0; changes--) {
          world.after(choices.below(300), () => this.#setup.change());
        }
        for (let others = choices.below(5); others > 0; others--) {
          world.after(choices.below(300), () => this.#pass(choices.pick(this.#replicas)));
        }
      });
    }
    this.#parts.letters?.operate(this.#replicas, HORIZON_MS, (replica) => this.#kill(replica));
    planFaults(world, {
      processes: this.#replicas.map(({ process }) => process),
      servers: world.servers,
      kinds: ['crash', 'pause', 'stall', 'clock', 'sleep', 'cut', 'half open', 'server pause', 'server clock'],
      others: [this.#setup.strike, this.#setup.strike, this.#setup.lie, () => this.#stop(), ...others],
      horizonMs: HORIZON_MS,
      most: 5,
      longMs: LEASE_MS,
      restart: (process) => this.#start(this.#replicas.find((replica) => replica.process === process) as Replica),
    });
    world.after(HORIZON_MS + 3000, () => this.#rest());
  }

  #start(replica: Replica): void {
    const { subject, table, chainId, letters, world } = this.#parts;
    const { level, agree, intervalMs, isEach } = this.#options;
    const { process } = replica;
    replica.receiver = undefined;
    this.#directions.delete(process);
    const onDeadLetter = ({ idempotencyKey: key, isReversal }: DeadLetter) => {
      const direction = this.#directions.get(process)?.get(key);
      if ((direction === '-') !== Boolean(isReversal))
        world.fail('letter of the other side', `${key} failed at ${direction}.`);
    };
    process.start(() => {
      const rpcUrl = [...this.#setup.sites.keys()];
      const common = {
        ...{ secret: SECRET, logger, store: table.store(process, subject), handlerTimeoutMs: HANDLER_MS },
        reorgs: subject.chainReorgs({ rpcUrl, chainId, level, agree, intervalMs, timeoutMs: 400, logger }),
        ...(letters && { deadLetters: letters.limits, onDeadLetter }),
      };
      replica.receiver = subject.createReceiver(
        isEach
          ? { ...common, onEvents: this.#all(process, '+'), onRevertedEvents: this.#all(process, '-') }
          : { ...common, onEvent: this.#one(process, '+'), onReverted: this.#one(process, '-'), concurrency: 2 },
      );
    });
  }

  #kill({ process }: Pick<Replica, 'process'>): void {
    const { world } = this.#parts;
    process.crash();
    world.after(world.choices.below(LEASE_MS), () => {
      if (process.state === 'down') this.#start(this.#replicas.find((each) => each.process === process) as Replica);
    });
  }

  /** Drains a replica and ends it. */
  #stop(): void {
    const { world, drains } = this.#parts;
    const replica = world.choices.pick(this.#replicas);
    const { process, receiver } = replica;
    if (process.state !== 'running' || !receiver) return;
    drains.drain(process, receiver, world.choices.pick([1000, 50, 5000]), () => {
      process.crash();
      world.after(20, () => {
        if (process.state === 'down') this.#start(replica);
      });
    });
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
    const { oracle, ledger, drains, table, chainId } = this.#parts;
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
      await this.#write(process, tx, effects);
    } finally {
      ledger.end(run, 'resolved');
    }
  }

  async #write(process: Process, tx: Tx, effects: readonly string[]): Promise<void> {
    const { choices, history, now } = this.#parts.world;
    const way = now < HORIZON_MS ? choices.pick(WAYS) : 'succeeds';
    history.add(process.name, `has a handler that ${way}`);
    const wait = (ms: number) => new Promise<void>((resolve) => process.setTimeout(resolve, ms));
    if (choices.oneIn(3)) await wait(choices.below(HANDLER_MS / 3));
    if (way === 'fails before') throw this.#failure('The handler fails.');
    if (way === 'is slow') await wait(HANDLER_MS * (0.5 + choices.below(10) / 10));
    for (const effect of effects) await tx.write(effect);
    if (way === 'fails after') throw this.#failure('The handler fails after its effects.');
  }

  #failure(message: string): Error {
    const { letters, subject } = this.#parts;
    return letters?.failure(subject, message) ?? new Error(message);
  }

  /** A pass of a replica; `then` is called with the number of logs that are left, unless it fails or is elsewhere. */
  #pass({ process, receiver }: Replica, then: (left: number) => void = () => {}): void {
    const { history } = this.#parts.world;
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
    const { world, letters } = this.#parts;
    if (this.isAtRest) return;
    if (passes > MOST_LAST_PASSES)
      world.fail('never at rest', `Not even in ${MOST_LAST_PASSES} passes without faults.`);
    const isQuiet = this.#sender.pending === 0 && this.#service.isDone;
    if (isQuiet) {
      const [replica] = this.#replicas as [Replica];
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
