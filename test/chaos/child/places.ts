import type { Pool as MysqlPool } from 'mysql2/promise';
import type { Pool as PgPool } from 'pg';
import { sleep } from '../clock.js';
import type { Left } from '../messages.js';
import { settings } from './steps.js';

/** Opens a transaction as a user of the client does, and ends it after `work`. */
export type Begin = (work: () => Promise<void>) => Promise<unknown>;

let begin: Begin | undefined;

/** Sets how the pool of this process opens a transaction. */
export function setPool(own: Begin): void {
  begin = own;
}

/** How long the pool may take to open its transactions, and a server to answer. */
const OPEN_MS = 2000;

/** How many transactions the pool opens at once, of how many. */
export async function openPlaces(): Promise<Left['places']> {
  const own = begin;
  if (own === undefined) return undefined;
  const { poolSize: of } = settings;
  let open = 0;
  let opened = () => {};
  const allOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const enough = Promise.race([allOpen, sleep(OPEN_MS)]);
  function work(): Promise<void> {
    if (++open === of) opened();
    return enough;
  }
  const ended = Promise.allSettled(Array.from({ length: of }, () => own(work)));
  await Promise.race([ended, sleep(2 * OPEN_MS)]);
  return { open, of };
}

export function beginOnPg(pool: Pick<PgPool, 'connect'>): Begin {
  return async (work) => {
    const connection = await pool.connect();
    // A silent connection is closed.
    const isDone = inTransaction((text) => connection.query(text), work);
    connection.release(!(await isDone));
  };
}

export function beginOnMysql2(pool: Pick<MysqlPool, 'getConnection'>): Begin {
  return async (work) => {
    const connection = await pool.getConnection();
    if (await inTransaction((text) => connection.query(text), work)) connection.release();
    else connection.destroy();
  };
}

/** Whether the server has answered. */
function inTransaction(query: (text: string) => Promise<unknown>, work: () => Promise<void>): Promise<boolean> {
  const isSilent = sleep(OPEN_MS / 2).then(() => false);
  const run = async (text: string) =>
    query(text).then(
      () => true,
      () => false,
    );
  return Promise.race([run('BEGIN'), isSilent]).then(async (isOpen) => {
    if (!isOpen) return false;
    await work();
    return run('ROLLBACK');
  });
}
