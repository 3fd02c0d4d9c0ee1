import type { History } from './history.js';

/** An invariant that a schedule broke. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /**
   * @param invariant A short fixed name, by which a shrunk schedule is compared with the one that it was made from.
   * @param what What broke it.
   */
  constructor(
    readonly invariant: string,
    readonly what: string,
    readonly history: History,
  ) {
    super(`${invariant}: ${what}`);
  }
}
