import { WebhookError } from '../../errors.js';
import { ignorePromise, isThenable } from '../../internal/guards.js';
import { named, storableKey, storableStep } from '../storable.js';
import type { Run, Step, StoreWord, Synchronous, TransactionalStore } from '../store.js';
import { begin, CLOSED, runsOf, whenFree } from './busy.js';
import { type SynchronousDatabase, valuesOf } from './database.js';
import { type Durations, keysOf, type Statements, type Status, wordsOf } from './dialect.js';
import { explained, isBusy } from './errors.js';
import { endedError, Outcome } from './outcome.js';
import { hasEnded, sqliteTexts } from './sqlite.js';
import type { Table } from './table.js';

/**
 * A store on a synchronous connection to a SQLite file. It claims, runs the handler, and commits within one turn,
 * because anything else that the process did on the connection in between would be part of the transaction.
 */
export function synchronousStore<Connection>(
  db: SynchronousDatabase<Connection>,
  statements: Statements,
  table: Table,
  options: Durations & { readonly timeoutMs: number },
): TransactionalStore<Synchronous<Connection>> {
  const texts = sqliteTexts(table, options);
  const beside = runsOf(db, options.timeoutMs);
  const tx = db.connection as Synchronous<Connection>;

  /** Claims the keys in the open transaction, and reads the status of the others. */
  function claim(keys: readonly string[], owner: string, step: Step): Map<string, StoreWord> {
    const claimed = keysOf({ rows: db.runNow(...texts.open(keys, owner, step)) });
    const words = new Map<string, StoreWord>(claimed.map((key) => [key, 'handled']));
    const others = keys.filter((key) => !words.has(key));
    if (others.length === 0) return words;
    const found = db.runNow(...texts.status(others)).map(valuesOf) as [string, Status][];
    for (const [key, word] of wordsOf(new Map(found), others, step)) words.set(key, word);
    return words;
  }

  async function attempt(
    keys: readonly string[],
    names: readonly string[],
    step: Step,
    run: Run<Synchronous<Connection>>,
  ): Promise<Map<string, StoreWord>> {
    const end = begin(db);
    const owner = crypto.randomUUID();
    const outcome = new Outcome(statements);
    let words: ReadonlyMap<string, StoreWord> = new Map();
    let isAsked = true;
    let failure: { readonly cause: unknown } | undefined;

    /** Checks the transaction. Only once, because the check removes the mark. */
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

    function runNow(): void {
      const fresh = new Map(
        names.filter((name) => words.get(storableKey(name)) === 'handled').map((name) => [name, {}]),
      );
      try {
        const returned = run(fresh, tx);
        if (!isThenable(returned)) return;
        ignorePromise(returned);
        throw new WebhookError('ERR_WEBHOOK_HANDLER', ASYNCHRONOUS);
      } catch (cause) {
        outcome.thrown = { cause };
        throw cause;
      }
    }

    try {
      words = claim(keys, owner, step);
      if (claimed().length > 0) {
        db.runNow(texts.mark);
        outcome.begin();
        isAsked = false;
        runNow();
        try {
          ask();
          for (const each of texts.finish(claimed(), owner, step)) db.runNow(...each);
          db.runNow('COMMIT');
        } catch (cause) {
          outcome.note(cause);
        }
      }
    } catch (error) {
      failure = { cause: outcome.thrown || isBusy(error) ? error : explained(error, table.name) };
    } finally {
      if (!isAsked) outcome.askNow(ask);
      end();
    }
    if (!failure) return named(names, words, 'in-progress');
    throw await outcome.failureOf(
      failure.cause,
      { keys: claimed(), owner, id: owner, step },
      beside,
      options.timeoutMs,
    );
  }

  return {
    async once(names, step, run) {
      const keys = names.map(storableKey);
      const stored = storableStep(step);
      return whenFree(() => attempt(keys, names, stored, run), options.timeoutMs);
    },
  };
}

const ASYNCHRONOUS =
  'A synchronous driver commits when the handler returns, so the handler must not be async. For an async handler, use fromLibsql.';
