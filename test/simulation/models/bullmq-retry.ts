import type { BullmqJob } from './bullmq.js';

/** What a BullMQ worker does with a job that failed, by what it knew of the job when it got it. */
export type BullmqRetry =
  | { readonly how: 'failed' }
  | { readonly how: 'retry' }
  | { readonly how: 'delayed'; readonly delayMs: number };

export function retryOf({ attempts, attemptsMade, backoffMs }: BullmqJob, errorName: string): BullmqRetry {
  if (errorName === 'UnrecoverableError' || attemptsMade + 1 >= attempts) return { how: 'failed' };
  const delayMs = Math.round(2 ** attemptsMade * backoffMs);
  return delayMs > 0 ? { how: 'delayed', delayMs } : { how: 'retry' };
}
