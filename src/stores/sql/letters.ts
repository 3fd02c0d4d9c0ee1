import type { RecordStore } from '../record-store.js';
import type { LetterStore } from '../store.js';
import { sleep } from './busy.js';
import type { RunStatement } from './database.js';
import { explaining, isConflict, type Statements } from './dialect.js';
import { keepable } from './letter-texts.js';

const TRIES = 5;
/** How long the server may take to end a transaction whose session was closed, in ms. */
const ENDING_MS = 25;
const MOST_PAUSES = 4;

/** Failures and dead letters in the table of the keys. */
export function sqlLetters(plain: RunStatement, statements: Statements): LetterStore {
  const run = explaining(plain, statements.table);
  const { letters } = statements;

  return {
    async fail(key, failure) {
      const kept = keepable(failure);
      await statements.prepare?.(run);
      const fail = kept.transitions === undefined || kept.isUnknown ? letters.fail : statements.logs.fail;
      for (let pauses = 0; ; pauses++) {
        const failed = await unlessConflict(() => fail(run, key, kept));
        if (failed || pauses === MOST_PAUSES || (await statements.status(run, [key])).size > 0) return failed;
        await sleep(ENDING_MS);
      }
    },
    async look(keys) {
      await statements.prepare?.(run);
      return letters.look(run, keys);
    },
    async list(page) {
      await statements.prepare?.(run);
      const found = await letters.list(run, page);
      return { letters: found, ...(found.size === page.limit && { next: [...found.keys()].at(-1) }) };
    },
    async discard(keys) {
      await statements.prepare?.(run);
      return unlessConflict(() => letters.discard(run, [...keys].sort()));
    },
  };
}

/** Records in the table of the keys. */
export function sqlRecordStore(plain: RunStatement, statements: Statements): RecordStore {
  const run = explaining(plain, statements.table);
  return {
    async look(keys) {
      await statements.prepare?.(run);
      return statements.records.look(run, keys);
    },
    async find(eventId) {
      await statements.prepare?.(run);
      return statements.records.find(run, eventId);
    },
  };
}

/** A serialization failure or a deadlock changed nothing. */
async function unlessConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
