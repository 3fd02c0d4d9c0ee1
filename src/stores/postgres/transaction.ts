import { isWebhookError, type WebhookError } from '../../errors.js';
import { stopwatch, withDeadline } from '../../internal/deadline.js';
import type { resolveLeaseOptions } from '../leased-store.js';
import { storableKey } from '../storable-key.js';
import type { IdempotencyStore } from '../store.js';
import { explainTo, type Query, sqlState, storeError } from './client.js';
import type { Statement, Statements } from './sql.js';

/** A connection for one transaction. After its end, `tx` cannot reach the connection. */
export interface Session<Tx> {
  /** The handler's `context.tx`. */
  readonly tx: Tx;
  /** Begins the transaction with a statement. */
  readonly begin: Query;
  readonly query: Query;
  /** Commits unless the statement fails. Rejects if nothing was committed or that is unknown. */
  commit(check: Statement): Promise<void>;
  /** Rolls back and releases the connection. The statement undoes the claim if the handler had committed already. */
  rollback(afterwards?: Statement): Promise<void>;
  /** Gives up the connection without waiting for it. Nothing is committed. */
  abandon(): void;
}

/** A store whose runs write in the same transaction as the store itself. */
export function transactionalStore<Tx>(
  open: () => Promise<Session<Tx>>,
  query: Query,
  statements: Statements,
  { leaseMs, timeoutMs }: ReturnType<typeof resolveLeaseOptions>,
): IdempotencyStore<Tx> {
  const inTime = <T>(work: Promise<T>, what: string) =>
    withDeadline(work, timeoutMs, () => storeError(`${what} within ${timeoutMs} ms (timeoutMs).`));
  // A handler gets 0.9 of the lease, so its claim may take 0.1; more if the lease is short.
  const claimMs = Math.max(leaseMs / 10, Math.min(250, 0.8 * leaseMs));

  async function opened(): Promise<Session<Tx>> {
    const opening = open();
    try {
      return await inTime(opening, 'The pool gave no connection');
    } catch (error) {
      opening.then((late) => late.abandon()).catch(ignore);
      throw error;
    }
  }

  /** A late handler or statement may still use the connection, which then cannot roll back. */
  async function close(session: Session<Tx>, error?: unknown, afterwards?: Statement): Promise<void> {
    if (isWebhookError(error) && (error.code === 'ERR_WEBHOOK_HANDLER_TIMEOUT' || error.code === 'ERR_WEBHOOK_STORE')) {
      session.abandon();
      return;
    }
    await inTime(session.rollback(afterwards), 'The server did not roll back').catch(() => session.abandon());
  }

  /** Resolves to `claimed` and the transaction's id, `duplicate` or `in-progress`. */
  async function claim(session: Session<Tx>, key: string): Promise<string> {
    const late = 'The server did not answer';
    try {
      const { value } = await inTime(session.begin(statements.claimInTransaction(key)), late);
      // What is there and not to be seen belongs to a transaction that is under way.
      return String(value ?? (await inTime(session.query(statements.status(key)), late)).value ?? 'in-progress');
    } catch (error) {
      // In the stricter isolation levels: another transaction has taken the key since this one began.
      if (sqlState(error) === '40001') return 'in-progress';
      return explainTo(statements.name)(error);
    }
  }

  /**
   * Frees a key whose transaction was abandoned, where that does not do so itself: a statement of the handler is under
   * way, or the handler had committed.
   */
  async function free(key: string, transaction: string): Promise<void> {
    await query(statements.interrupt(transaction));
    await query(statements.forget(key, transaction));
  }

  return {
    leaseMs,
    async once(idempotencyKey, run) {
      const key = storableKey(idempotencyKey);
      const session = await opened();
      let isCommitting = false;
      let isAbandoned = false;
      let afterwards: Statement | undefined;
      try {
        const elapsedMs = stopwatch();
        const [status, transaction = ''] = (await claim(session, key)).split(' ');
        if (status !== 'claimed') {
          await close(session);
          return status === 'duplicate' ? status : 'in-progress';
        }
        afterwards = statements.forget(key, transaction);
        await new Promise<void>((resolve, reject) => {
          const onTimeout = (error: Error) => {
            if (isCommitting || isAbandoned) return;
            isAbandoned = true;
            // In this turn, so that the handler cannot reach the transaction any more.
            session.abandon();
            free(key, transaction).catch(ignore);
            reject(error);
          };
          const remainingMs = () => leaseMs - elapsedMs();
          // In the turn in which the run is started: the process may have been frozen since the claim was answered.
          if (elapsedMs() >= claimMs) throw storeError(FROZEN);
          run(session.tx, { onTimeout, fencingToken: BigInt(transaction), remainingMs }).then(resolve, reject);
        });
        isCommitting = true;
        const late = 'It is unknown whether the transaction was committed: the server did not answer';
        await inTime(session.commit(statements.check(transaction)), late);
        return 'handled';
      } catch (error) {
        // Once the commit was asked for it may be there, and the key must stay with it.
        if (!isAbandoned) await close(session, error, isCommitting ? undefined : afterwards);
        throw isCommitting && !isWebhookError(error) ? storeError(reasonOf(error), error) : error;
      }
    },
  };
}

/** Explains a failed commit. */
function reasonOf(cause: unknown): string {
  const state = sqlState(cause);
  if (state === '25P02') return ABORTED;
  if (state === '22012')
    return 'The handler ended the transaction of context.tx itself, so it is unknown which writes were kept. Leave BEGIN, COMMIT and ROLLBACK to the store.';
  if (/^(23|40)/.test(state)) return 'Postgres refused to commit, so the transaction was rolled back.';
  return 'The connection failed, so it is unknown whether the transaction was committed. A redelivery resolves this.';
}

const FROZEN =
  'Claiming the key took so long that the handler could outlive its lease, so it was not started. The process was frozen, or leaseMs is too short.';

export const ABORTED =
  'The handler resolved although one of its statements failed, so the transaction was rolled back. Let the handler reject, or use a savepoint for statements that may fail.';

/** The error for a handler that uses its transaction after the end. */
export function overError(): WebhookError {
  return storeError(
    'The transaction of this event has ended, so context.tx can no longer be used. Await every statement in the handler.',
  );
}

function ignore(): void {}
