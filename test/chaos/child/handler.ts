import pg from 'pg';
import type { EventContext, WebhookEvent } from '../../../src/index.js';
import { pass, pause, settings } from './steps.js';

/** What a statement can be given to: the pool, or the connection of a transaction. */
export interface Sql {
  query(text: string, values: unknown[]): Promise<unknown>;
}

export const pool = new pg.Pool({ connectionString: settings.postgresUrl, max: 10 });
pool.on('error', (error) => console.error('pool:', error.message));

/** Events that this process has failed once. */
const failed = new Set<string>();

/**
 * A handler whose effect is two rows, with time between its steps for something to happen. One event in sixteen fails
 * the first time that a process sees it: before its effect, or after it where the transaction takes the effect back.
 */
export async function handle(event: WebhookEvent, sql: Sql, isTransaction: boolean): Promise<void> {
  const fails = event.id.endsWith('0') && !failed.has(event.id);
  failed.add(event.id);
  await pause(Number.parseInt(event.id.slice(0, 1), 16) / 2);
  if (fails && !isTransaction) throw new Error('The handler fails the first time.');
  pass('before-effect');
  await append(sql, event, 1);
  await pause(2);
  if (isTransaction) {
    await append(sql, event, 2);
    if (fails) throw new Error('The handler fails the first time.');
  }
  pass('after-effect');
  await pause(2);
}

async function append(sql: Sql, event: WebhookEvent, part: number): Promise<void> {
  await sql.query(`INSERT INTO effects_${settings.run} (event_id, part, pid, at) VALUES ($1, $2, $3, $4)`, [
    event.id,
    part,
    process.pid,
    Date.now(),
  ]);
}

/** The handler in the transaction of the store. */
export function inTransaction(event: WebhookEvent, { tx }: EventContext<Sql>): Promise<void> {
  return handle(event, tx, true);
}

/** The handler on a connection of its own. */
export function onItsOwn(event: WebhookEvent): Promise<void> {
  return handle(event, pool, false);
}
