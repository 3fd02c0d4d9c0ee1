import pg from 'pg';
import type { EventContext, WebhookEvent } from '../../../src/index.js';
import { monotonic, sleep } from '../clock.js';
import { pass, settings, tell, waiting } from './steps.js';
import { startOf } from './watched.js';

/** What a statement can be given to: a connection of the pool, or that of a transaction. */
export interface Sql {
  query(text: string, values: unknown[]): Promise<unknown>;
}

const pool = new pg.Pool({ connectionString: settings.effectsUrl, max: 10 });
const report = (error: Error) => console.error('pool:', error.message);
pool.on('error', report);
// From its beginning: a connection may break in the turn in which the pool gives it out.
pool.on('connect', (connection) => connection.on('error', report));
waiting.push(() => pool.waitingCount);

/** Events that this process has failed once. */
const failed = new Set<string>();

/**
 * Handlers whose effect is two rows, with time between its steps for something to happen. One event in sixteen fails
 * the first time that a process sees it: before its effect, or after it where the transaction takes the effect back.
 */
async function prepare({ id }: WebhookEvent): Promise<{ claimed: number; fails: boolean }> {
  const start = startOf(id);
  tell({ started: id, start });
  const fails = id.endsWith('0') && !failed.has(id);
  failed.add(id);
  await sleep(Number.parseInt(id.slice(0, 1), 16) / 2);
  return { claimed: start.claimed, fails };
}

/** The handler in the transaction of the store. */
export async function inTransaction(event: WebhookEvent, context: EventContext<Sql>): Promise<void> {
  const { claimed, fails } = await prepare(event);
  await append(context.tx, event, 1, claimed, context);
  await sleep(2);
  await append(context.tx, event, 2, claimed, context);
  if (fails) throw new Error('The handler fails the first time.');
  pass('after-effect');
  await sleep(2);
}

/** The handler on a connection of its own, whose effect is one row. */
export async function onItsOwn(event: WebhookEvent, context: EventContext): Promise<void> {
  const { claimed, fails } = await prepare(event);
  if (fails) throw new Error('The handler fails the first time.');
  // Before it looks at the clock: nothing that takes time may come between that and the effect.
  const connection = await pool.connect();
  let broken: unknown;
  try {
    await append(connection, event, 1, claimed, context);
  } catch (error) {
    broken = error;
    throw error;
  } finally {
    connection.release(broken !== undefined);
  }
  pass('after-effect');
  await sleep(2);
}

async function append(
  sql: Sql,
  { id }: WebhookEvent,
  part: number,
  claimed: number,
  context: EventContext<unknown>,
): Promise<void> {
  pass('before-effect');
  const checked = monotonic();
  context.throwIfExpired();
  pass('after-check');
  const row = [id, part, process.pid, monotonic(), checked, claimed];
  await sql.query(
    `INSERT INTO effects_${settings.run} (event_id, part, pid, at, checked, claimed) VALUES ($1, $2, $3, $4, $5, $6)`,
    row,
  );
}
