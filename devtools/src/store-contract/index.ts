import { keyCases } from './keys.js';
import { leaseCases } from './leases.js';
import { letterCases } from './letters.js';
import { onceCases } from './once.js';
import type { MakeStore, StoreContractOptions } from './options.js';
import { commitOutageCases, outageCases, recordOutageCases } from './outage.js';
import { severalCases } from './several.js';
import { transactionCases } from './transactions.js';
import { type Cases, Trial } from './trial.js';
import { writeCases } from './writes.js';

export type { ContractEffects, ContractOutage, ContractSettings, MakeStore, StoreContractOptions } from './options.js';

/** Every wait of a case has its own, shorter limit, whose error names what did not settle. */
const CASE_TIMEOUT_MS = 60_000;

/**
 * Registers the contract of an `IdempotencyStore` with a test runner: the suite that the stores of
 * `event-webhook-receiver` pass. The error of a failing case tells what the store did, what it should have done, and
 * what the difference means in production.
 *
 * It does not test how fast the store is, whether its server survives a power failure, or what happens if a handler
 * ends the store's transaction. A store for a synchronous driver, which must commit in the same turn as it calls the
 * run, cannot pass.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { memoryStore } from 'event-webhook-receiver';
 * import { storeContract } from 'event-webhooks/store-contract';
 *
 * let now = 0;
 * storeContract((settings) => memoryStore({ leaseMs: settings.leaseMs, retentionMs: settings.retentionMs, now: () => now }), {
 *   test,
 *   letters: true,
 *   shared: false,
 *   passTime: (ms) => {
 *     now += ms;
 *   },
 * });
 * ```
 * @param makeStore Creates a store with the settings that a case needs, in ms. Called for each replica of each case.
 * @param options `test`, and properties of the store that the suite cannot detect.
 * @remarks A case fails with a ConfigError `ERR_WEBHOOK_CONFIG` if `makeStore` returns no store, or `effects` does not suit it.
 */
export function storeContract<Tx = undefined>(makeStore: MakeStore<Tx>, options: StoreContractOptions<Tx>): void {
  for (const [group, cases] of Object.entries(casesFor(options))) {
    for (const [title, run] of Object.entries(cases)) {
      const test = async () => {
        const trial = new Trial(makeStore, options);
        try {
          await run(trial);
        } finally {
          await trial.end();
        }
      };
      options.test(`${group}: ${title}`, test, CASE_TIMEOUT_MS);
    }
  }
}

/** The cases for the store's features, by group. */
function casesFor({ effects, outage, leases, letters }: StoreContractOptions<never>): Readonly<Record<string, Cases>> {
  return {
    'one key': onceCases,
    keys: keyCases,
    'several keys': severalCases,
    ...(effects ? { 'a transaction': transactionCases } : { leases: leaseCases }),
    ...(leases && { 'the writes of a lease store': writeCases }),
    ...(letters && { 'dead letters': letterCases }),
    ...(outage && { 'an outage': { ...outageCases, ...(effects ? commitOutageCases : recordOutageCases) } }),
  };
}
