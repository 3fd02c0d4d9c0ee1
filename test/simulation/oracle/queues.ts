import type { Process } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import type { LeaseTable } from '../models/lease-table.js';
import type { ScriptedChain } from '../models/scripted-chain.js';
import type { Ledger, Run } from './ledger.js';

interface Engine {
  /** Grows with each statement or script. */
  readonly changes: number;
  fateOf(key: string): 'nothing' | 'kept' | 'done' | 'dead';
  isBuriedEarly(key: string): boolean;
}

interface QueueTruth {
  readonly world: World;
  readonly ledger: Ledger;
  readonly engine: Engine;
  /** The store of the workers, if they have one. */
  readonly table: LeaseTable | undefined;
  readonly chain: ScriptedChain | undefined;
  readonly keyOf: (id: string) => string;
}

/** A try of a job by a worker, from when the engine gave it the job until the worker has settled it. */
export interface Try {
  readonly beganAt: number;
  /** Whether the event had to wait for finality in it. */
  hasWaited: boolean;
  /** Whether another try of the job ran in the same process at the same time. */
  isAlone: boolean;
}

/** Holds a queue world to its invariants. */
export class QueueOracle {
  readonly #truth: QueueTruth;
  readonly #acknowledged = new Set<string>();
  readonly #dropped = new Set<string>();
  /** The events whose jobs were done. */
  readonly #done = new Set<string>();
  /** How often workers were given the job of a key. */
  readonly #tries = new Map<string, number>();
  /** The tries that run, by process, life and key. */
  readonly #running = new Map<string, Set<Try>>();

  /** The sum of what has changed until the last check. */
  #checked = -1;
  readonly #leaseEnds = new Map<Run, number>();

  constructor(truth: QueueTruth) {
    this.#truth = truth;
  }

  /** A worker got the job of a key. */
  beginTry(process: Process, key: string): Try {
    this.#tries.set(key, (this.#tries.get(key) ?? 0) + 1);
    const place = placeOf(process, key);
    const others = this.#running.get(place) ?? new Set<Try>();
    const begun: Try = { beganAt: process.time, hasWaited: false, isAlone: others.size === 0 };
    for (const other of others) other.isAlone = false;
    this.#running.set(place, others.add(begun));
    return begun;
  }

  /** @param failure Why the engine must count it as failed, unless that is not the fault of the worker. */
  endTry(process: Process, key: string, ended: Try, failure: Error | undefined): void {
    const { world, ledger } = this.#truth;
    this.#running.get(placeOf(process, key))?.delete(ended);
    const run = this.#runOf(process, key, ended);
    if (run && ended.isAlone && !run.isLate && ledger.isRunning(run)) {
      world.fail('settled while it runs', `The handler of ${run.id} still runs in ${process.name}.`);
    }
    if (ended.hasWaited && ended.isAlone && failure) {
      world.fail('waiting used up an attempt', `${key}: ${failure.message}`);
    }
  }

  /** Whether this try has succeeded. With a store it may fail after its handler, when the store cannot record the effect. */
  hasSucceeded(process: Process, key: string, begun: Try): boolean {
    if (this.#truth.table) return false;
    const run = this.#runOf(process, key, begun);
    return run?.end === 'resolved' && !run.isLate && begun.isAlone;
  }

  #runOf(process: Process, key: string, { beganAt }: Try): Run | undefined {
    return this.#truth.ledger.runs.findLast((run) => run.key === key && isIn(run, process) && run.beganAt >= beganAt);
  }

  /** An event was found to have to wait. */
  waits(process: Process, id: string): void {
    for (const each of this.#running.get(placeOf(process, this.#truth.keyOf(id))) ?? []) each.hasWaited = true;
  }

  /** The handler of an event begins. */
  begin(run: Run): void {
    const { world, ledger, chain, table, keyOf } = this.#truth;
    const { id, process } = run;
    const key = keyOf(id);
    const runs = ledger.runs.filter((each) => each.id === id);
    if (runs.length > (this.#tries.get(key) ?? 0)) {
      world.fail('ran without a try', `The handler of ${id} begins in ${process.name} more often than its job.`);
    }
    const running = runs.filter((each) => each !== run && ledger.isRunning(each));
    if (table === undefined && running.some((each) => isIn(each, process))) {
      world.fail('twice at once in one process', `The handler of ${id} still runs in ${process.name}.`);
    }
    if (table?.isDone(key)) world.fail('began after its record', `${id} is recorded, and begins in ${process.name}.`);
    if (table && running.some((each) => this.#leaseEnd(each) > process.time)) {
      world.fail('overtaken within its lease', `${id} begins in ${process.name}.`);
    }
    if (table) this.#leaseEnds.set(run, table.endOf(process, key));
    const fate = chain?.fateOf(id);
    if (fate && process.time < fate.at) world.fail('handled too early', `${id} is not final before ${fate.at} ms.`);
    if (fate?.isDropped) world.fail('handled although dropped', `The block of ${id} is not on the chain.`);
  }

  drop(process: Process, id: string): void {
    const { world, chain } = this.#truth;
    const fate = chain?.fateOf(id);
    if (!fate?.isDropped || process.time < fate.at)
      world.fail('dropped wrongly', `${id} was not dropped from the chain.`);
    world.history.add(process.name, `drops ${id}`);
    this.#dropped.add(id);
  }

  /** A receiver answers 200 for an event. */
  acknowledge(id: string): void {
    this.#acknowledged.add(id);
    if (!this.#isStored(id)) this.#truth.world.fail('acknowledged without effect', `The engine has no job of ${id}.`);
  }

  /** Called after every step. */
  check(): void {
    const { world, engine, ledger, chain, keyOf } = this.#truth;
    let state = engine.changes + this.#acknowledged.size;
    for (const id of this.#acknowledged) state += ledger.effectsOf(id).length;
    if (state === this.#checked) return;
    this.#checked = state;
    for (const id of this.#acknowledged) {
      const key = keyOf(id);
      if (!this.#isStored(id)) world.fail('job lost', `The engine has no job of ${id} any more.`);
      const fate = engine.fateOf(key);
      if (fate === 'done' && !this.#hasHappened(id)) {
        world.fail('completed without effect', `The job of ${id} is completed, and ${id} has not taken effect.`);
      }
      // With finality, a late try may store a copy of a job that is done; it finds the key in the store.
      if (fate === 'done' && !chain) this.#done.add(id);
      else if (fate === 'kept' && this.#done.has(id)) world.fail('stored again', `The job of ${id} was done before.`);
      if (fate === 'dead' && engine.isBuriedEarly(key)) {
        world.fail('dead letter too early', `The job of ${id} has attempts left.`);
      }
      const effects = ledger.effectsOf(id);
      if (effects.length > 1) this.#explain(effects);
    }
  }

  /** Whether nothing is left to do for any acknowledged event. */
  isSettled(): boolean {
    const { engine, keyOf } = this.#truth;
    for (const id of this.#acknowledged) if (engine.fateOf(keyOf(id)) === 'kept') return false;
    return true;
  }

  /** Called when everything has healed. */
  end(): void {
    const { world, engine, keyOf } = this.#truth;
    for (const id of this.#acknowledged) {
      const fate = engine.fateOf(keyOf(id));
      if (!this.#hasHappened(id) && fate !== 'dead') world.fail('never took effect', `${id}: its job is ${fate}.`);
    }
  }

  /** With leases: the key was free again, as a process died, a handler failed after its effect, or its lease was over. */
  #explain(effects: readonly Run[]): void {
    const { world, table } = this.#truth;
    if (table === undefined) return;
    const runs = effects.toSorted((one, other) => one.beganAt - other.beganAt);
    for (let index = 1; index < runs.length; index++) {
      const [first, second] = [runs[index - 1] as Run, runs[index] as Run];
      const hasDied = first.process.life !== first.life || first.process.state === 'down';
      const isOver = second.beganAt >= this.#leaseEnd(first);
      if (hasDied || first.end === 'rejected' || isOver) continue;
      world.fail(
        'effect twice without a cause',
        `${second.id} took effect in ${first.process.name} and ${second.process.name}.`,
      );
    }
  }

  #leaseEnd(run: Run): number {
    return this.#leaseEnds.get(run) ?? 0;
  }

  #isStored(id: string): boolean {
    const { engine, keyOf } = this.#truth;
    return engine.fateOf(keyOf(id)) !== 'nothing' || this.#hasHappened(id);
  }

  #hasHappened(id: string): boolean {
    return this.#truth.ledger.effectsOf(id).length > 0 || this.#dropped.has(id);
  }
}

function isIn(run: Run, process: Process): boolean {
  return run.process === process && run.life === process.life;
}

function placeOf({ name, life }: Process, key: string): string {
  return `${name} ${life} ${key}`;
}
