import type { LeaseTable } from '../leased-store.js';
import type { ClaimAnswer } from '../store.js';
import type { RunStatement } from './database.js';
import { type Statements, wordsOf } from './dialect.js';
import { unlessConflict } from './errors.js';

const CLAIM_TRIES = 5;

/** Leases in a table, with one statement per step. */
export function leaseTable(run: RunStatement, statements: Statements): LeaseTable {
  return {
    async claim(keys, owner, step) {
      await statements.prepare?.(run);
      const answers = new Map<string, ClaimAnswer>();
      // Sorted, so that overlapping deliveries do not deadlock.
      let left: readonly string[] = [...keys].sort();
      // Keys may be released between the two statements.
      for (let tries = 0; tries < CLAIM_TRIES && left.length > 0; tries++) {
        const claimed = await unlessConflict(() => statements.claim(run, left, owner, step));
        for (const [key, claim] of claimed) answers.set(key, claim);
        left = left.filter((key) => !claimed.has(key));
        if (left.length === 0) break;
        const words = wordsOf(await statements.status(run, left), left, step);
        for (const [key, word] of words) answers.set(key, word);
        left = left.filter((key) => !words.has(key));
      }
      return answers;
    },
    record: (keys, owner) => statements.complete(run, [...keys].sort(), owner),
    release: (keys, owner) => statements.release(run, [...keys].sort(), owner),
  };
}
