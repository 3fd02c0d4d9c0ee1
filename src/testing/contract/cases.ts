import { keyCases } from './keys.js';
import { leaseCases } from './leases.js';
import { onceCases } from './once.js';
import type { StoreContractOptions } from './options.js';
import { commitOutageCases, outageCases, recordOutageCases } from './outage.js';
import { severalCases } from './several.js';
import { transactionCases } from './transactions.js';
import type { Trial } from './trial.js';
import { writeCases } from './writes.js';

/** Cases by their titles. */
export type Cases = Readonly<Record<string, <Tx>(trial: Trial<Tx>) => Promise<void>>>;

/** The cases by what the store is called with or has. The options tell which of them the store needs. */
export function casesFor({ effects, outage, leases }: StoreContractOptions<never>): Readonly<Record<string, Cases>> {
  return {
    'one key': onceCases,
    keys: keyCases,
    'several keys': severalCases,
    ...(effects ? { 'a transaction': transactionCases } : { leases: leaseCases }),
    ...(leases && { 'the writes of a lease store': writeCases }),
    ...(outage && { 'an outage': { ...outageCases, ...(effects ? commitOutageCases : recordOutageCases) } }),
  };
}
