import { casesFor } from './cases.js';
import { checkContractOptions, type MakeStore, type StoreContractOptions } from './options.js';
import { Trial } from './trial.js';

export type { ContractEffects, ContractOutage, ContractSettings, MakeStore, StoreContractOptions } from './options.js';

/** Every wait of a case has its own, shorter limit, which says what did not settle. */
const CASE_TIMEOUT_MS = 60_000;

/**
 * Registers the contract of an `IdempotencyStore` with a test runner: the suite that the stores of this package pass. The
 * error of each failing case says what the store did, what it should have done, and what that means in production.
 *
 * It does not test how fast the store is, that its server survives a power failure, and what happens if a handler ends the
 * store's transaction. A store that must commit in the turn in which its run was called, for a synchronous driver, cannot pass.
 *
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { memoryStore } from 'event-webhook-receiver';
 * import { storeContract } from 'event-webhook-receiver/testing';
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
