import { storeError } from '../bounded-calls.js';
import { storableKey } from '../storable-key.js';
import type { IdempotencyStore, RunOptions, StoreWord, Synchronous } from '../store.js';
import { begin, isBusy, whenFree } from './busy.js';
import { type SynchronousDatabase, valuesOf } from './database.js';
import { type Durations, ENDED, explained, keysOf, type Status } from './dialect.js';
import { hasEnded, sqliteTexts } from './sqlite.js';
import type { Table } from './table.js';

type Run<Connection> = (fresh: readonly string[], tx: Synchronous<Connection>, options: RunOptions) => Promise<void>;

/**
 * A store on a synchronous connection to a SQLite file: claims, runs the handler, and commits within one turn, because
 * whatever else the process did on the connection in between would be part of the transaction.
 */
export function synchronousStore<Connection>(
  db: SynchronousDatabase<Connection>,
  table: Table,
  options: Durations & { readonly timeoutMs: number },
): Required<Pick<IdempotencyStore<Synchronous<Connection>>, 'once' | 'onceEach' | 'transactional'>> {
  const texts = sqliteTexts(table, options);
  const tx = db.connection as Synchronous<Connection>;

  /** Claims the keys in the open transaction, and finds out about the others. */
  function claim(keys: readonly string[]): Map<string, StoreWord> {
    const claimed = keysOf({ rows: db.runNow(...texts.recordEach(keys, crypto.randomUUID())) });
    const words = new Map<string, StoreWord>(claimed.map((key) => [key, 'handled']));
    const others = keys.filter((key) => !words.has(key));
    if (others.length === 0) return words;
    const found = db.runNow(texts.status(others)).map(valuesOf) as [string, Status][];
    for (const [key, word] of found) words.set(key, word);
    return words;
  }

  function commit(): void {
    try {
      db.runNow(texts.check);
    } catch (error) {
      throw hasEnded(error) ? storeError(ENDED, error) : error;
    }
    db.runNow('COMMIT');
  }

  async function attempt(
    keys: readonly string[],
    named: readonly string[],
    run: Run<Connection>,
  ): Promise<StoreWord[]> {
    const end = begin(db);
    let isOver = false;
    let busy: unknown;
    let running: Promise<void> | undefined;
    let words: ReadonlyMap<string, StoreWord>;
    try {
      words = claim(keys);
      const fresh = named.filter((_, index) => words.get(keys[index] as string) === 'handled');
      if (fresh.length > 0) {
        db.runNow(texts.mark);
        const onReturn = (error?: unknown) => {
          if (isOver) throw storeError(LATE);
          isOver = true;
          if (error !== undefined) return;
          try {
            commit();
          } catch (cause) {
            // A reader can delay the commit. The run is repeated, as it left nothing behind.
            if (isBusy(cause)) busy = cause;
            throw cause;
          }
        };
        running = run(fresh, tx, { onReturn });
        running.catch(ignore);
        if (!isOver) throw storeError(LATE);
      }
    } catch (error) {
      throw explained(error, table.name);
    } finally {
      isOver = true;
      end();
    }
    await running?.catch((error: unknown) => {
      throw busy ?? error;
    });
    return keys.map((key) => words.get(key) ?? 'in-progress');
  }

  const onceEach = (named: readonly string[], run: Run<Connection>) => {
    const keys = named.map(storableKey);
    return whenFree(() => attempt(keys, named, run), options.timeoutMs);
  };

  return {
    transactional: true,
    onceEach,
    async once(key, run) {
      const [word] = await onceEach([key], (_, connection, runOptions) => run(connection, runOptions));
      return word as StoreWord;
    },
  };
}

const LATE =
  'A synchronous driver commits in the turn in which the transaction began, so the handler must return before that and must not be async. For an async handler, use fromLibsql.';

function ignore(): void {}
