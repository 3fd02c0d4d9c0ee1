import { type Contents, contentsOf } from '../deliveries/contents.js';
import { type ItemView, itemViews } from '../deliveries/item-view.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { type BodyDiff, diffBodies } from '../explain/diff-bodies.js';
import { explainWithin } from '../explain/explain-failure.js';
import type { Finding } from '../explain/finding.js';
import type { Question } from '../explain/options.js';
import { createWork } from '../explain/work-limit.js';

/** The tasks of the thread, with the messages they take and return. */
export interface Tasks {
  readonly explain: { readonly asked: Question; readonly answer: readonly Finding[] };
  readonly read: { readonly asked: Uint8Array; readonly answer: Contents };
  readonly view: {
    readonly asked: {
      readonly rawBody: Uint8Array;
      readonly contracts: KnownContracts;
      readonly from?: number | undefined;
    };
    readonly answer: { readonly contents: Contents; readonly items: readonly ItemView[] };
  };
  readonly compare: {
    readonly asked: { readonly signed: Uint8Array; readonly received: Uint8Array };
    readonly answer: BodyDiff;
  };
}

/** A task and its input. */
export type Task = {
  readonly [Kind in keyof Tasks]: { readonly kind: Kind; readonly asked: Tasks[Kind]['asked'] };
}[keyof Tasks];
export type TaskAnswer = Tasks[keyof Tasks]['answer'];

export function perform(task: Task): TaskAnswer {
  if (task.kind === 'explain') return explainWithin(task.asked, createWork());
  if (task.kind === 'read') return contentsOf(task.asked);
  if (task.kind === 'compare') return diffBodies(task.asked.signed, task.asked.received);
  const { rawBody, contracts, from } = task.asked;
  return { contents: contentsOf(rawBody), items: itemViews(rawBody, contracts, from) };
}
