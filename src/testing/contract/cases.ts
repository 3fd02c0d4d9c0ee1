import { clockCases } from './clock.js';
import { keyCases } from './keys.js';
import { lateCases } from './late.js';
import { leaseCases } from './leases.js';
import { onceCases } from './once.js';
import type { StoreContractOptions } from './options.js';
import { outageCases } from './outage.js';
import { severalCases } from './several.js';
import { transactionCases } from './transactions.js';
import type { Trial } from './trial.js';

/** Cases by their titles. A case that the store does not need, such as that of a lease it does not have, checks nothing. */
export type Cases = Readonly<Record<string, <Tx>(trial: Trial<Tx>) => Promise<void>>>;

/** The cases by what the store is called with or has. */
export function casesFor({ effects, outage }: StoreContractOptions<never>): Readonly<Record<string, Cases>> {
  return {
    once: onceCases,
    keys: keyCases,
    onceEach: severalCases,
    'a late handler': lateCases,
    leases: leaseCases,
    'a frozen process': clockCases,
    ...(effects && { 'a transaction': transactionCases }),
    ...(outage && { 'an outage': outageCases }),
  };
}
