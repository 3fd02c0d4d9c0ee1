import { ConfigError, type IdempotencyStore } from 'event-webhook-receiver';
import { type Call, callStore, type Keys, nothing, type Work } from './call.js';
import {
  type ContractEffects,
  type ContractSettings,
  checkMadeStore,
  type MakeStore,
  type StoreContractOptions,
} from './options.js';
import { createGate, type Gate, settled, settles, sleep } from './waiting.js';

/** How long the user's server may take to become unreachable or reachable, in ms. */
const SERVER_MS = 30_000;

/** The stores, the calls and the clock of one case. */
export class Setup<Tx> {
  readonly #makeStore: MakeStore<Tx>;
  readonly options: StoreContractOptions<Tx>;
  readonly #gates: Gate[] = [];
  readonly #calls: Call[] = [];
  #passedMs = 0;

  constructor(makeStore: MakeStore<Tx>, options: StoreContractOptions<Tx>) {
    this.#makeStore = makeStore;
    this.options = options;
  }

  /** Ends every run that still waits, so that the user can close the stores. */
  async end(): Promise<void> {
    for (const gate of this.#gates) gate.open();
    await settles(Promise.all(this.#calls.map((call) => call.settled)), 2000);
  }

  /** Two stores that share their keys, like two replicas; the same one twice if `shared` is false. */
  async replicas(settings: ContractSettings = {}): Promise<readonly [IdempotencyStore<Tx>, IdempotencyStore<Tx>]> {
    const first = await this.#open(settings);
    return [first, this.options.shared === false ? first : await this.#open(settings)];
  }

  async #open(settings: ContractSettings): Promise<IdempotencyStore<Tx>> {
    const store = await settled('makeStore', () => this.#makeStore(settings));
    checkMadeStore(store, this.options);
    return store;
  }

  call(
    store: IdempotencyStore<Tx>,
    keys: Keys,
    work: Work<Tx> = nothing,
    step?: Parameters<typeof callStore>[3],
  ): Call {
    const call = callStore(store, keys, work, step);
    this.#calls.push(call);
    return call;
  }

  gate(): Gate {
    const gate = createGate();
    this.#gates.push(gate);
    return gate;
  }

  async passTime(ms: number): Promise<void> {
    if (this.options.passTime) this.#passedMs += ms;
    await (this.options.passTime ?? sleep)(ms);
  }

  /** The time that has passed for the store, in ms: on this machine, and by `passTime`. */
  time(): number {
    return performance.now() + this.#passedMs;
  }

  /** The effects of a transactional store. */
  get effects(): ContractEffects<Tx> {
    return this.options.effects as ContractEffects<Tx>;
  }

  async effectsOf(id: string): Promise<number> {
    // Drivers return a count as text or bigint.
    const count = Number(await settled('effects.count', () => this.effects.count(id)));
    if (Number.isNaN(count)) throw new ConfigError('`effects.count` must return a number.');
    return count;
  }

  /** Makes the server unreachable, or reachable again. */
  async outage(change: 'begin' | 'end'): Promise<void> {
    await settled('outage', () => this.options.outage?.[change](), SERVER_MS);
  }
}
