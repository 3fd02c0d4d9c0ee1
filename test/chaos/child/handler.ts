import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EventContext } from '../../../src/index.js';
import { monotonic, sleep } from '../clock.js';
import type { Via } from '../ledger.js';
import type { Misuse } from '../misuse.js';
import { pass, settings, tell, waiting } from './steps.js';
import { startOf } from './watched.js';

/** What a handler uses of its context. */
type Context<Tx> = Pick<EventContext<Tx>, 'tx' | 'throwIfExpired'>;

/** One row of what a handler writes. */
export interface EffectRow {
  readonly run: string;
  readonly event_id: string;
  readonly part: number;
  readonly pid: number;
  readonly sent_at: number;
  readonly checked: number;
  readonly claimed: number;
  readonly via: Via;
}

/** Events that this process has failed once. */
const failed = new Set<string>();

/**
 * Starts a handler. One event in sixteen fails the first time that a process sees it, and every event in its company:
 * before its effect, or after it if the transaction rolls the effect back.
 */
function begin(ids: readonly string[]): { claimed: number; fails: boolean } {
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

/** Time between the steps of a handler, for faults, in ms. */
function thinkingMs([id = '']: readonly string[]): number {
  return Number.parseInt(id.slice(0, 1), 16) / 2;
}

/** What a handler does next in its transaction: it waits for so many ms, runs a statement, or writes rows. */
type Act = number | string | EffectRow[];

/** What a handler does in the store's transaction. Its effect is two rows for each event. */
function* actsOf(ids: readonly string[], context: Context<unknown>, via?: Via): Generator<Act> {
  const { claimed, fails } = begin(ids);
  yield thinkingMs(ids);
  const misuse = beginMisuse(ids);
  try {
    for (const part of [1, 2] as const) {
      yield rowsOf(ids, part, claimed, context, via);
      if (misuse?.after === part) {
        tell({ ended: ids, claimed, at: monotonic() });
        yield misuse.statement;
        if (!misuse.writesOn) break;
      }
      if (part === 1 && !misuse) yield 2;
    }
    if (misuse?.then === 'dies') {
      tell({ dying: true });
      process.kill(process.pid, 'SIGKILL');
    }
    if (misuse?.then === 'throws') throw new Error('The handler fails after it has ended the transaction.');
    if (fails && !misuse) throw new Error('The handler fails the first time.');
    pass('after-effect');
    yield 2;
  } finally {
    if (misuse) tell({ over: ids });
  }
}

/** The misuse of one of the events, if no process has begun it yet. */
function beginMisuse(ids: readonly string[]): Misuse | undefined {
  for (const id of ids) {
    const misuse = settings.misuses[id];
    if (misuse === undefined) continue;
    try {
      writeFileSync(join(settings.marks, `misuse-${id}`), '', { flag: 'wx' });
      return misuse;
    } catch {
      // It has happened.
    }
  }
  return undefined;
}

/** The handler in the store's transaction. */
export function inTransaction<Tx>(
  insert: (tx: Tx, rows: EffectRow[]) => Promise<unknown>,
  execute: (tx: Tx, statement: string) => Promise<unknown>,
) {
  return async (ids: readonly string[], context: Context<Tx>, via?: Via): Promise<void> => {
    for (const act of actsOf(ids, context, via)) {
      if (typeof act === 'number') await sleep(act);
      else await (typeof act === 'string' ? execute(context.tx, act) : insert(context.tx, act));
    }
  };
}

/** The same on a synchronous driver, in one turn. */
export function inOneTurn<Tx>(execute: (tx: Tx, statement: string) => void) {
  return (ids: readonly string[], context: Context<Tx>): void => {
    for (const act of actsOf(ids, context)) {
      // Other processes wait for this one.
      if (typeof act === 'number') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(act, 1));
      else execute(context.tx, typeof act === 'string' ? act : insertion(act));
    }
  };
}

/** The handler on its own connection. Its effect is one row for each event. */
export function onItsOwn() {
  const pool = new pg.Pool({ connectionString: settings.effectsUrl, max: 10 });
  const report = (error: Error) => console.error('pool:', error.message);
  pool.on('error', report);
  // Added on connect: a connection may break in the turn in which the pool returns it.
  pool.on('connect', (connection) => connection.on('error', report));
  waiting.push(() => pool.waitingCount);

  return async (ids: readonly string[], context: Context<unknown>): Promise<void> => {
    const { claimed, fails } = begin(ids);
    await sleep(thinkingMs(ids));
    if (fails) throw new Error('The handler fails the first time.');
    // Connects before the clock check, because nothing slow may come between the check and the effect.
    const connection = await pool.connect();
    let broken: unknown;
    try {
      await connection.query(insertion(rowsOf(ids, 1, claimed, context)));
    } catch (error) {
      broken = error;
      throw error;
    } finally {
      connection.release(broken !== undefined);
    }
    pass('after-effect');
    await sleep(2);
  };
}

function rowsOf(
  ids: readonly string[],
  part: number,
  claimed: number,
  context: Context<unknown>,
  via: Via = 'delivery',
): EffectRow[] {
  pass('before-effect');
  const checked = monotonic();
  context.throwIfExpired();
  pass('after-check');
  const more = { part, pid: process.pid, sent_at: monotonic(), checked, claimed, via };
  return ids.map((id) => ({ run: settings.run, event_id: id, ...more }));
}

/** The statement that writes effects, in any dialect. */
export function insertion(rows: readonly EffectRow[]): string {
  const values = rows.map(({ run, event_id, part, pid, sent_at, checked, claimed, via }) => {
    return `('${run}', '${event_id}', ${part}, ${pid}, ${sent_at}, ${checked}, ${claimed}, '${via}')`;
  });
  return `INSERT INTO effects (run, event_id, part, pid, sent_at, checked, claimed, via) VALUES ${values.join(', ')}`;
}
