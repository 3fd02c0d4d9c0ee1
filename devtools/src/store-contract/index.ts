import { keyCases } from './keys.js';
import { leaseCases } from './leases.js';
import { onceCases } from './once.js';
import { checkContractOptions, type MakeStore, type StoreContractOptions } from './options.js';
import { commitOutageCases, outageCases, recordOutageCases } from './outage.js';
import { severalCases } from './several.js';
import { transactionCases } from './transactions.js';
import { type Cases, Trial } from './trial.js';
import { writeCases } from './writes.js';

export type { ContractEffects, ContractOutage, ContractSettings, MakeStore, StoreContractOptions } from './options.js';

/** Every wait of a case has its own, shorter limit, which says what did not settle. */
const CASE_TIMEOUT_MS = 60_000;

/**
 * Registers the contract of an `IdempotencyStore` with a test runner: the suite that the stores of `event-webhook-receiver` pass. The
 * error of each failing case says what the store did, what it should have done, and what that means in production.
 *
 * It does not test how fast the store is, that its server survives a power failure, and what happens if a handler ends the
 * store's transaction. A store that must commit in the turn in which its run was called, for a synchronous driver, cannot pass.
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
 *   shared: false,
 *   passTime: (ms) => {
 *     now += ms;
 *   },
 * });
 * ```
 * @param makeStore Creates a store with the settings that a case needs, in ms. Called for each replica of each case.
 * @param options `test`, and what the suite cannot know about the store.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` for an invalid or unknown option. A case fails with it if `makeStore` returns no
 * store.
 */
export function storeContract<Tx = undefined>(makeStore: MakeStore<Tx>, options: StoreContractOptions<Tx>): void {
  checkContractOptions(makeStore, options);
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

/** The cases by what the store is called with or has. */
function casesFor({ effects, outage, leases }: StoreContractOptions<never>): Readonly<Record<string, Cases>> {
  return {
    'one key': onceCases,
    keys: keyCases,
    'several keys': severalCases,
    ...(effects ? { 'a transaction': transactionCases } : { leases: leaseCases }),
    ...(leases && { 'the writes of a lease store': writeCases }),
    ...(outage && { 'an outage': { ...outageCases, ...(effects ? commitOutageCases : recordOutageCases) } }),
  };
}
