import { type PostgresJsLike, type Query, queryOfPostgresJs, storeError, type Unsafe } from './client.js';
import { containedSql } from './js-guard.js';
import { TransactionState, turn } from './js-state.js';
import type { Statement } from './sql.js';
import { ABORTED, type Session } from './transaction.js';

/** What the callback of `begin` rejects with to have it roll back. */
const UNDONE = new Error('Rolled back.');

/** Opens sessions on connections of postgres.js. */
export function postgresJsSessions<Tx extends object>(sql: PostgresJsLike<Tx>): () => Promise<Session<Tx>> {
  return () =>
    new Promise((resolve, reject) => {
      const ended: Promise<unknown> = sql.begin(
        (tx) =>
          new Promise<void>((commit, undo) => {
            const query = queryOfPostgresJs(tx as Tx & Unsafe, sql.options);
            resolve(sessionOf({ tx, query, ended, commit, undo }));
          }),
      );
      ended.catch(reject);
    });
}

/** A callback of `begin` that is under way. */
interface Begun<Tx> {
  readonly tx: Tx;
  readonly query: Query;
  /** What `begin` gave. */
  readonly ended: Promise<unknown>;
  commit(): void;
  undo(reason: Error): void;
}

/**
 * One transaction between the beginning and the end of a callback of `begin`. When its connection is lost the callback
 * is left as it is: postgres.js would roll back on a connection that is another's by then, or on none.
 */
function sessionOf<Tx extends object>({ tx, query, ended, commit, undo }: Begun<Tx>): Session<Tx> {
  const state = new TransactionState(ended);

  /** What waits for an answer when its connection is lost may never be told. */
  const unlessLost = <T>(answer: Promise<T>) => Promise.race([answer, state.lost]);

  async function rollback(afterwards?: Statement): Promise<void> {
    state.over = true;
    await turn();
    if (state.closed) return;
    // Before the rollback: outside of the transaction already where it was committed, and else undone with it.
    if (afterwards) await query(afterwards).catch(ignore);
    if (state.closed) return;
    undo(UNDONE);
    await ended.catch((error) => {
      if (error !== UNDONE) throw error;
    });
  }

  return {
    tx: containedSql(tx, state),
    // It has begun already.
    begin: (statement) => unlessLost(query(statement)),
    query: (statement) => unlessLost(query(statement)),
    async commit(check) {
      // What the handler began and did not wait for still belongs to it.
      await turn();
      state.over = true;
      let checked: Promise<unknown> | undefined;
      if (!state.closed) {
        // Sent right before COMMIT: postgres.js does not say when that became a rollback, and this fails in that case.
        checked = query(check);
        checked.catch(ignore);
        commit();
      }
      try {
        await ended;
      } catch (error) {
        throw state.failures.has(error) ? storeError(ABORTED, error) : error;
      }
      await checked;
    },
    rollback,
    abandon: () => {
      rollback().catch(ignore);
    },
  };
}

function ignore(): void {}
