import type { LeaseTable } from '../leased-store.js';
import type { ClaimAnswer } from '../store.js';
import type { RunStatement } from './database.js';
import { type Statements, wordsOf } from './dialect.js';
import { explaining, isConflict } from './errors.js';
import { sqlLetters } from './letters.js';
import { sqlRecords } from './records.js';

const CLAIM_TRIES = 5;

/** Leases in a table, with one statement per step. */
export function leaseTable(plain: RunStatement, statements: Statements, retentionMs: number): LeaseTable {
  const run = explaining(plain, statements.table);

  /** A serialization failure or a deadlock changed nothing, so a retry may succeed. */
  const unlessConflict = (error: unknown) => {
    if (!isConflict(error)) throw error;
    return [];
  };

  return {
    async claim(keys, owner, step) {
      await statements.prepare?.(run);
      const words = new Map<string, ClaimAnswer>();
      // Sorted, so that overlapping deliveries do not deadlock.
      let left: readonly string[] = [...keys].sort();
      const settle = () => {
        left = left.filter((key) => !words.has(key));
        return left.length === 0;
      };
      // Keys may be released between the two statements.
      for (let tries = 0; tries < CLAIM_TRIES; tries++) {
        const claimed = await statements.claim(run, left, owner, step).catch(unlessConflict);
        for (const [key, claim] of claimed) words.set(key, claim);
        if (settle()) return words;
        for (const [key, word] of wordsOf(await statements.status(run, left), left, step)) words.set(key, word);
        if (settle()) return words;
      }
      for (const key of left) words.set(key, 'in-progress');
      return words;
    },
    record: (keys, owner) => statements.complete(run, [...keys].sort(), owner),
    release: (keys, owner) => statements.release(run, [...keys].sort(), owner),
    letters: sqlLetters(plain, statements, retentionMs),
    records: sqlRecords(plain, statements),
  };
}
