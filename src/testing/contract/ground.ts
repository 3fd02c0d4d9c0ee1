import { ConfigError } from '../../errors.js';
import type { IdempotencyStore } from '../../stores/store.js';
import { type Call, callStore, nothing, type Work } from './call.js';
import {
  type ContractEffects,
  type ContractSettings,
  checkMadeStore,
  type MakeStore,
  type StoreContractOptions,
} from './options.js';
import { createGate, type Gate, settles, sleep, WAIT_MS, within } from './waiting.js';

/** The ground of one case: its stores and its runs, which it ends. */
export class Ground<Tx> {
  readonly #makeStore: MakeStore<Tx>;
  readonly options: StoreContractOptions<Tx>;
  readonly #gates: Gate[] = [];
  readonly #calls: Call[] = [];
  readonly #undo: (() => void)[] = [];
  #passedMs = 0;

  constructor(makeStore: MakeStore<Tx>, options: StoreContractOptions<Tx>) {
    this.#makeStore = makeStore;
    this.options = options;
  }

  /** Lets every run that still waits end, so that the user can close the stores. */
  async end(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    for (const gate of this.#gates) gate.open();
    await settles(Promise.all(this.#calls.map((call) => call.settled)), 2000);
  }

  /** Has `undo` called when the case ends. */
  onEnd(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Two stores that share their keys, like two replicas; the same one twice if `shared` is false. */
  async replicas(settings: ContractSettings = {}): Promise<readonly [IdempotencyStore<Tx>, IdempotencyStore<Tx>]> {
    const first = await this.#open(settings);
    return [first, this.options.shared === false ? first : await this.#open(settings)];
  }

  async #open(settings: ContractSettings): Promise<IdempotencyStore<Tx>> {
    const late = () => new Error(`\`makeStore\` did not settle within ${WAIT_MS / 1000} s.`);
    const store = await within((async () => this.#makeStore(settings))(), late);
    checkMadeStore(store, this.options.effects !== undefined);
    return store;
  }

  async passTime(ms: number): Promise<void> {
    if (this.options.passTime) this.#passedMs += ms;
    await (this.options.passTime ?? sleep)(ms);
  }

  /** A time in ms that counts what has passed for the store: on this machine, and by `passTime`. */
  time(): number {
    return performance.now() + this.#passedMs;
  }

  /** The effects of a transactional store, whose cases are registered only with them. */
  effects(): ContractEffects<Tx> {
    return this.options.effects as ContractEffects<Tx>;
  }

  /** How many effects are committed. */
  async effectsOf(id: string): Promise<number> {
    const late = () => new Error(`\`effects.count\` did not settle within ${WAIT_MS / 1000} s.`);
    // Drivers return a count as text or bigint.
    const count = Number(await within((async () => this.options.effects?.count(id))(), late));
    if (Number.isNaN(count)) throw new ConfigError('`effects.count` must return a number.');
    return count;
  }

  once(store: IdempotencyStore<Tx>, key: string, work: Work<Tx> = nothing): Call {
    return this.#noted(callStore(store, key, work));
  }

  each(store: IdempotencyStore<Tx>, keys: readonly string[], work: Work<Tx> = nothing): Call {
    return this.#noted(callStore(store, keys, work));
  }

  #noted(call: Call): Call {
    this.#calls.push(call);
    return call;
  }

  gate(): Gate {
    const gate = createGate();
    this.#gates.push(gate);
    return gate;
  }
}
