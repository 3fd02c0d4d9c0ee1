import { ConfigError, type IdempotencyStore } from 'event-webhook-receiver';
import type { Leases } from 'event-webhook-receiver/stores/leased';
import { optionError } from '../check-options.js';

/** Settings of a store that a case of {@link storeContract} needs. A store ignores settings that it does not have. */
export interface ContractSettings {
  /** How long a run that does not settle keeps its key, in ms. */
  readonly leaseMs?: number;
  /** How long a key is remembered after it took effect, in ms. */
  readonly retentionMs?: number;
  /** How long the store waits for its server, in ms. */
  readonly timeoutMs?: number;
}

/** Creates a store. Called once for each replica of a case: each store has its own connections, to the same server. */
export type MakeStore<Tx> = (settings: ContractSettings) => IdempotencyStore<Tx> | Promise<IdempotencyStore<Tx>>;

/** Options of {@link storeContract}. */
export interface StoreContractOptions<Tx = unknown> {
  /**
   * The `test` of node:test (which ignores the timeout, in ms), Vitest, Jest or bun:test, called once for each case.
   */
  readonly test: (name: string, run: () => Promise<void>, timeoutMs?: number) => unknown;
  /** Whether all stores that `makeStore` creates share their keys. If false, each case uses one store. (Default: true.) */
  readonly shared?: boolean | undefined;
  /** Advances the clock of the store by a number of ms. (Default: the suite waits.) */
  readonly passTime?: ((ms: number) => unknown) | undefined;
  /**
   * The effects of runs. Required for a store with transactions (`once`), and only allowed for one: cases for
   * transactions replace the cases for leases.
   */
  readonly effects?: ContractEffects<Tx> | undefined;
  /** Whether the store keeps dead letters. Adds the cases for its `letters`. (Default: false.) */
  readonly letters?: boolean | undefined;
  /** Makes the store's server unreachable. Adds the cases for an outage. (Default: these cases are omitted.) */
  readonly outage?: ContractOutage | undefined;
  /**
   * Returns the three writes that the store passes to `leasedStore`. Adds cases that call the writes like a client that
   * repeats a command whose answer was lost. Called once for each of these cases. (Default: these cases are omitted.)
   */
  readonly leases?: (() => Leases | Promise<Leases>) | undefined;
}

/** Effects in the transaction of a store. */
export interface ContractEffects<Tx> {
  /** Writes an effect with the transaction. */
  write(tx: Tx, id: string): unknown;
  /** Returns how many effects with this id are committed. */
  count(id: string): number | Promise<number>;
}

/** An outage of the store's server. */
export interface ContractOutage {
  /** Makes the server unreachable for all stores. */
  begin(): unknown;
  /** Makes the server reachable again, with all its data. */
  end(): unknown;
}

const hasMethods = (value: unknown, ...names: string[]) =>
  names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');

/** Throws ConfigError unless `makeStore` returned a store that the suite can test. */
export function checkMadeStore<Tx>(
  store: IdempotencyStore<Tx>,
  { effects, letters = false }: Pick<StoreContractOptions<Tx>, 'effects' | 'letters'>,
): void {
  const isOnce = hasMethods(store, 'once');
  if (!isOnce && !hasMethods(store, 'claim', 'record', 'release')) {
    throw optionError('makeStore', 'a function that returns an IdempotencyStore', store);
  }
  if (letters && store.letters === undefined) throw new ConfigError(NO_LETTERS);
  if (isOnce === (effects !== undefined)) return;
  throw new ConfigError(
    isOnce
      ? '`effects` is required for a store with transactions (`once`), so that the suite can check that key and effect commit together.'
      : '`effects` is only for a store with transactions (`once`), and the store that `makeStore` returned has leases. Omit `effects`.',
  );
}

const NO_LETTERS =
  '`letters` is only for a store that keeps dead letters, and the store that `makeStore` returned has no `letters`.';
