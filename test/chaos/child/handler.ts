import { inspect } from 'node:util';
import pg from 'pg';
import { sleep } from '../clock.js';
import type { Via } from '../ledger.js';
import { type Act, actsOf, begin, block, type Context, type EffectRow, rowsOf, thinkingMs } from './acts.js';
import { pass, settings, tell, waiting } from './steps.js';

/** The handler in the store's transaction. */
export function inTransaction<Tx>(
  insert: (tx: Tx, rows: EffectRow[]) => Promise<unknown>,
  execute: (tx: Tx, statement: string) => Promise<unknown>,
) {
  async function run(tx: Tx, act: string | EffectRow[]): Promise<void> {
    try {
      await (typeof act === 'string' ? execute(tx, act) : insert(tx, act));
    } catch (error) {
      if (/deadlock/i.test(inspect(error))) tell({ misuse: 'met a deadlock' });
      throw error;
    }
  }
  async function perform(tx: Tx, act: Act): Promise<void> {
    if (typeof act === 'number') return sleep(act);
    if (!(typeof act === 'object' && 'wait' in act)) return run(tx, act);
    const later = act.isLastLater ? act.acts.slice(-1) : [];
    const running = act.acts.slice(0, act.acts.length - later.length).map((each) => run(tx, each));
    const settled = Promise.allSettled(running).then(() => Promise.allSettled(later.map((each) => run(tx, each))));
    if (act.wait === 'all') await Promise.all(running);
    if (act.wait === 'settled') await settled;
  }
  return async (ids: readonly string[], context: Context<Tx>, via?: Via): Promise<void> => {
    for (const act of actsOf(ids, context, via)) await perform(context.tx, act);
  };
}

/** The same on a synchronous driver, in one turn. */
export function inOneTurn<Tx>(execute: (tx: Tx, statement: string) => void) {
  return (ids: readonly string[], context: Context<Tx>): void => {
    for (const act of actsOf(ids, context)) {
      // Other processes wait for this one.
      if (typeof act === 'number') block(Math.min(act, 1));
      else if (!(typeof act === 'object' && 'wait' in act))
        execute(context.tx, typeof act === 'string' ? act : insertion(act));
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

/** The statement that writes effects, in any dialect. */
export function insertion(rows: readonly EffectRow[]): string {
  const values = rows.map(({ run, event_id, part, pid, sent_at, checked, claimed, via }) => {
    return `('${run}', '${event_id}', ${part}, ${pid}, ${sent_at}, ${checked}, ${claimed}, '${via}')`;
  });
  return `INSERT INTO effects (run, event_id, part, pid, sent_at, checked, claimed, via) VALUES ${values.join(', ')}`;
}
