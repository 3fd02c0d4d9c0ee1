import type { IdempotencyStore } from '../../src/index.js';

/** What a handler gets of a store with transactions. */
export interface Transaction {
  query(sql: string, values?: readonly unknown[]): Promise<void>;
}
export declare const transactional: IdempotencyStore<Transaction>;
