import { contentsOf } from '../deliveries/contents.js';
import { itemViews } from '../deliveries/item-view.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { explainWithin } from '../explain/explain-failure.js';
import type { Question } from '../explain/options.js';

/** What the thread does. */
export const tasks = {
  explain: (question: Question) => explainWithin(question),
  read: (rawBody: Uint8Array) => contentsOf(rawBody),
  view: (rawBody: Uint8Array, contracts: KnownContracts, from?: number) => ({
    contents: contentsOf(rawBody),
    items: itemViews(rawBody, contracts, from),
  }),
};

export type Tasks = typeof tasks;
