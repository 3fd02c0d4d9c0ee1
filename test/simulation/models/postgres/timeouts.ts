import type { Block } from './block.js';
import { canceled, PostgresError } from './errors.js';
import type { Transaction } from './transaction.js';

/** What a session waits for, in ms of the monotonic clock. */
export interface Waiting {
  /** Whose end. */
  readonly holder: Transaction | undefined;
  readonly until: number | undefined;
  readonly since: number;
  /** Whether it has looked for a deadlock. */
  isChecked: boolean;
}

export interface Deadline {
  readonly at: number;
  readonly what: 'sleep' | 'deadlock' | PostgresError;
}

interface Clocks {
  readonly block: Block;
  readonly waiting: Waiting | undefined;
  /** When the message under way arrived. */
  readonly messageAt: number | undefined;
  /** When the last one was answered. */
  readonly idleSince: number;
}

/** What is due first. */
export function deadlineOf(clocks: Clocks): Deadline | undefined {
  let first: Deadline | undefined;
  const add = (since: number, ms: number, what: () => Deadline['what']) => {
    if (ms > 0 && (first === undefined || since + ms < first.at)) first = { at: since + ms, what: what() };
  };
  const { block, waiting, messageAt, idleSince } = clocks;
  const limit = block.time('transaction_timeout');
  if (block.endsAt !== undefined) add(block.endsAt, Number.MIN_VALUE, lateTransaction);
  if (messageAt === undefined) {
    const idle = block.state === 'none' ? 0 : block.time('idle_in_transaction_session_timeout');
    if (limit === 0 || idle < limit) add(idleSince, idle, idleTransaction);
    return first;
  }
  if (!waiting) return first;
  add(messageAt, block.time('statement_timeout'), () => canceled('statement timeout'));
  if (waiting.until !== undefined) add(waiting.until, Number.MIN_VALUE, () => 'sleep');
  if (waiting.holder) {
    add(
      waiting.since,
      block.time('lock_timeout'),
      () => new PostgresError('55P03', 'canceling statement due to lock timeout'),
    );
    if (!waiting.isChecked) add(waiting.since, block.time('deadlock_timeout'), () => 'deadlock');
  }
  return first;
}

const lateTransaction = () => new PostgresError('25P04', 'terminating connection due to transaction timeout', 'FATAL');
const idleTransaction = () =>
  new PostgresError('25P03', 'terminating connection due to idle-in-transaction timeout', 'FATAL');
