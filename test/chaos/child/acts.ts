import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventContext } from '../../../src/index.js';
import { monotonic } from '../clock.js';
import type { Via } from '../ledger.js';
import { type EndedByHandler, type Misuse, nameOf, type Overrun, type Unawaited } from '../misuse.js';
import { pass, settings, tell } from './steps.js';
import { startOf } from './watched.js';

/** What a handler uses of its context. */
export type Context<Tx> = Pick<EventContext<Tx>, 'tx' | 'throwIfExpired'>;

/** One row of what a handler writes. */
export type EffectRow = ReturnType<typeof effectRows>[number];

/** Events that this process has failed once. */
const failed = new Set<string>();

/**
 * Starts a handler. One event in sixteen fails the first time that a process sees it, and every event in its company:
 * before its effect, or after it if the transaction rolls the effect back.
 */
export function begin(ids: readonly string[]): { claimed: number; fails: boolean } {
  let claimed = 0;
  let fails = false;
  for (const id of ids) {
    const start = startOf(id);
    tell({ started: id, start });
    claimed = start.claimed;
    fails ||= id.endsWith('0') && !failed.has(id);
    failed.add(id);
  }
  return { claimed, fails };
}

/** Time between the steps of a handler, for faults, in ms: one event in sixteen leaves its session idle for longer. */
export function thinkingMs([id = '']: readonly string[]): number {
  return id.startsWith('f') ? 120 : Number.parseInt(id.slice(0, 1), 16) / 2;
}

/** What a handler does next in its transaction: it waits for so many ms, runs a statement, writes rows, or several at once. */
export type Act = number | string | EffectRow[] | Several;

interface Several {
  readonly acts: readonly (string | EffectRow[])[];
  /** What it waits for: `Promise.all`, that all have settled, or nothing. */
  readonly wait: 'all' | 'settled' | 'none';
  /** The last is sent when the others are answered. */
  readonly isLastLater?: boolean;
}

/** What a handler does in the store's transaction. Its effect is two rows for each event. */
export function* actsOf(ids: readonly string[], context: Context<unknown>, via?: Via): Generator<Act> {
  const { claimed, fails } = begin(ids);
  yield thinkingMs(ids);
  const misuse = beginMisuse(ids);
  const rows = (part: number) => rowsOf(ids, part, claimed, context, via);
  if (misuse && 'then' in misuse) return yield* endTransaction(ids, misuse, claimed, rows);
  if (misuse && 'overrun' in misuse) return yield* overrun(ids, misuse, claimed, via);
  const order = misuse ? undefined : lockOrder(ids);
  if (order) yield { acts: [rows(1), ...lockBoth(order), rows(2)], wait: 'all' };
  else {
    yield rows(1);
    yield 2;
    yield rows(2);
  }
  if (misuse) yield { acts: FAILING[misuse.unawaited], wait: 'none', isLastLater: misuse.isLater };
  else if (fails) throw new Error('The handler fails the first time.');
  pass('after-effect');
  if (!misuse) yield 2;
  else if (misuse.isLater) yield SENT_MS;
}

function* endTransaction(
  ids: readonly string[],
  { statement, after, writesOn, then }: EndedByHandler,
  claimed: number,
  rows: (part: number) => EffectRow[],
): Generator<Act> {
  try {
    for (const part of [1, 2] as const) {
      yield rows(part);
      if (after !== part) continue;
      tell({ ended: ids, claimed, at: monotonic() });
      yield statement;
      if (!writesOn) break;
    }
    if (then === 'dies') {
      tell({ dying: true });
      process.kill(process.pid, 'SIGKILL');
    }
    if (then === 'throws') throw new Error('The handler fails after it has ended the transaction.');
    pass('after-effect');
    yield 2;
  } finally {
    tell({ over: ids });
  }
}

const isMariadb = settings.mode.store === 'mariadb';
const sleeping = (ms: number) => (isMariadb ? `DO SLEEP(${ms / 1000})` : `SELECT pg_sleep(${ms / 1000})`);

/** Blocks the process, without taking its core from others. */
export function block(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Writes one part of its effect in time, and the other when its time is over, as if nothing had happened. */
function* overrun(ids: readonly string[], { overrun, times }: Overrun, claimed: number, via?: Via): Generator<Act> {
  const limitMs = Math.min(settings.handlerTimeoutMs, 0.9 * settings.leaseMs);
  const end = monotonic() + times * limitMs;
  tell({ overran: ids, claimed });
  yield effectRows(ids, 1, claimed, via);
  if (overrun === 'blocking') block(end - monotonic());
  if (overrun === 'in a statement') yield { acts: [sleeping(times * limitMs)], wait: 'settled' };
  // A statement that was interrupted is over sooner.
  yield Math.max(0, end - (overrun === 'idle' ? 0 : limitMs) - monotonic());
  yield effectRows(ids, 2, claimed, via);
}

/** Time between the locks of two rows, in ms: for another handler, to lock the other row. */
const BETWEEN_LOCKS_MS = 80;

/** In which order a handler locks the two rows that all share: one event in eight does. */
function lockOrder(ids: readonly string[]): readonly [number, number] | undefined {
  if (settings.mode.store === 'sqlite') return undefined;
  if (ids.some((id) => id.endsWith('7'))) return [1, 2];
  return ids.some((id) => id.endsWith('8')) ? [2, 1] : undefined;
}

function lockBoth([first, second]: readonly [number, number]): string[] {
  const lock = (id: number) => `UPDATE shared_rows SET n = n + 1 WHERE run = '${settings.run}' AND id = ${id}`;
  return [lock(first), sleeping(BETWEEN_LOCKS_MS), lock(second)];
}

/** Statements that a handler does not await: one for which the store's next statement waits, and one that may follow that. */
const FAILING: Record<Unawaited['unawaited'], string[]> = {
  failure: [sleeping(50), 'SELECT * FROM table_that_is_absent'],
  deadlock: lockBoth([2, 1]),
};
/** When a client has sent the first, in ms. */
const SENT_MS = 10;

/** The misuse of one of the events, if no process has begun it yet. */
function beginMisuse(ids: readonly string[]): Misuse | undefined {
  for (const id of ids) {
    const misuse = settings.misuses[id];
    if (misuse === undefined) continue;
    try {
      writeFileSync(join(settings.marks, `misuse-${id}`), '', { flag: 'wx' });
    } catch {
      // It has happened.
      continue;
    }
    tell({ misuse: nameOf(misuse) });
    return misuse;
  }
  return undefined;
}

/** What a handler writes while its time is not over. */
export function rowsOf(
  ids: readonly string[],
  part: number,
  claimed: number,
  context: Context<unknown>,
  via?: Via,
): EffectRow[] {
  pass('before-effect');
  const checked = monotonic();
  context.throwIfExpired();
  pass('after-check');
  return effectRows(ids, part, claimed, via, checked);
}

function effectRows(
  ids: readonly string[],
  part: number,
  claimed: number,
  via: Via = 'delivery',
  checked = monotonic(),
) {
  const more = { part, pid: process.pid, sent_at: monotonic(), checked, claimed, via };
  return ids.map((id) => ({ run: settings.run, event_id: id, ...more }));
}
