import pg from 'pg';
import type { EventContext, WebhookEvent } from '../../../src/index.js';
import { monotonic, sleep } from '../clock.js';
import { pass, settings, tell, waiting } from './steps.js';
import { startOf } from './watched.js';

/** Runs a statement: a connection of the pool or of a transaction. */
export interface Sql {
  query(text: string, values: unknown[]): Promise<unknown>;
}

const pool = new pg.Pool({ connectionString: settings.effectsUrl, max: 10 });
const report = (error: Error) => console.error('pool:', error.message);
pool.on('error', report);
// Added on connect: a connection may break in the turn in which the pool returns it.
pool.on('connect', (connection) => connection.on('error', report));
waiting.push(() => pool.waitingCount);

/** Events that this process has failed once. */
const failed = new Set<string>();

/**
 * Starts a handler, with time between its steps for faults. One event in sixteen fails the first time that a process sees
 * it: before its effect, or after it if the transaction rolls the effect back.
 */
async function prepare({ id }: WebhookEvent): Promise<{ claimed: number; fails: boolean }> {
  const start = startOf(id);
  tell({ started: id, start });
  const fails = id.endsWith('0') && !failed.has(id);
  failed.add(id);
  await sleep(Number.parseInt(id.slice(0, 1), 16) / 2);
  return { claimed: start.claimed, fails };
}

/** The handler in the store's transaction. Its effect is two rows. */
export async function inTransaction(event: WebhookEvent, context: EventContext<Sql>): Promise<void> {
  const { claimed, fails } = await prepare(event);
  await append(context.tx, event, 1, claimed, context);
  await sleep(2);
  await append(context.tx, event, 2, claimed, context);
  if (fails) throw new Error('The handler fails the first time.');
  pass('after-effect');
  await sleep(2);
}

/** The handler on its own connection. Its effect is one row. */
export async function onItsOwn(event: WebhookEvent, context: EventContext): Promise<void> {
  const { claimed, fails } = await prepare(event);
  if (fails) throw new Error('The handler fails the first time.');
  // Connects before the clock check, because nothing slow may come between the check and the effect.
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
