import { storeError } from '../bounded-calls.js';
import { storableKey } from '../storable-key.js';
import type { IdempotencyStore, RunOptions, StoreWord, Synchronous } from '../store.js';
import { begin, CLOSED, isBusy, runsOf, whenFree } from './busy.js';
import { type SynchronousDatabase, valuesOf } from './database.js';
import { type Durations, explained, keysOf, type Status } from './dialect.js';
import { endedError, Outcome } from './outcome.js';
import { hasEnded, sqliteStatements, sqliteTexts } from './sqlite.js';
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
  const { transaction } = sqliteStatements(table, options);
  const beside = runsOf(db, options.timeoutMs);
  const tx = db.connection as Synchronous<Connection>;

  /** Claims the keys in the open transaction, and finds out about the others. */
  function claim(keys: readonly string[], owner: string): Map<string, StoreWord> {
    const claimed = keysOf({ rows: db.runNow(...texts.openEach(keys, owner)) });
    const words = new Map<string, StoreWord>(claimed.map((key) => [key, 'handled']));
    const others = keys.filter((key) => !words.has(key));
    if (others.length === 0) return words;
    const found = db.runNow(texts.status(others)).map(valuesOf) as [string, Status][];
    for (const [key, word] of found) words.set(key, word);
    return words;
  }

  async function attempt(
    keys: readonly string[],
    named: readonly string[],
    run: Run<Connection>,
  ): Promise<StoreWord[]> {
    const end = begin(db);
    const owner = crypto.randomUUID();
    const outcome = new Outcome(transaction);
    let words: ReadonlyMap<string, StoreWord> = new Map();
    let isOver = false;
    let isAsked = true;
    let busy: unknown;
    let running: Promise<void> | undefined;
    let failure: { readonly cause: unknown } | undefined;

    /** Once, as it removes the mark. */
    function ask(): void {
      isAsked = true;
      if (db.state() === 'closed') throw new Error(CLOSED);
      try {
        db.runNow(texts.check);
      } catch (error) {
        throw hasEnded(error) ? endedError(error) : error;
      }
      outcome.undone();
    }

    const claimed = () => [...words.keys()].filter((key) => words.get(key) === 'handled');

    function onReturn(error?: unknown): void {
      if (isOver) throw storeError(LATE);
      isOver = true;
      if (error !== undefined) {
        outcome.thrown = { cause: error };
        return;
      }
      try {
        ask();
        db.runNow(...texts.finishEach(claimed(), owner));
        db.runNow('COMMIT');
      } catch (cause) {
        // A reader can delay the commit. The run is repeated, as it left nothing behind.
        if (isBusy(cause)) busy = cause;
        outcome.note(cause);
      }
    }

    try {
      words = claim(keys, owner);
      const fresh = named.filter((_, index) => words.get(keys[index] as string) === 'handled');
      if (fresh.length > 0) {
        db.runNow(texts.mark);
        outcome.begin();
        isAsked = false;
        running = run(fresh, tx, { onReturn });
        running.catch(ignore);
        if (!isOver) throw storeError(LATE);
      }
    } catch (error) {
      failure = { cause: explained(error, table.name) };
    } finally {
      isOver = true;
      if (!isAsked) outcome.askNow(ask);
      end();
    }
    if (!failure) {
      await running?.catch((error: unknown) => {
        if (outcome.thrown) outcome.thrown = { cause: error };
        failure = { cause: busy ?? error };
      });
    }
    if (!failure) return keys.map((key) => words.get(key) ?? 'in-progress');
    throw await outcome.failureOf(failure.cause, { keys: claimed(), owner, id: owner }, beside, options.timeoutMs);
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
