/**
 * Where `reconcile` stores its progress. The text is JSON of at most about 300 kB; do not change it. If one of the
 * functions rejects, `reconcile` stops.
 *
 * @example
 * ```ts
 * import type { ReconcileCursor } from 'event-webhook-receiver/chain';
 *
 * let text: string | undefined;
 * export const cursor: ReconcileCursor = {
 *   read: () => text,
 *   write(next, expected) {
 *     if (text !== expected) return false;
 *     text = next;
 *     return true;
 *   },
 * };
 * ```
 */
export interface ReconcileCursor {
  /** Returns the stored text; undefined before the first write. */
  read(): Promise<string | undefined> | string | undefined;
  /**
   * Stores `next` durably if the stored text is `expected` (undefined: if there is none), in one atomic step. Returns
   * whether it stored `next`.
   */
  write(next: string, expected: string | undefined): Promise<boolean> | boolean;
}
