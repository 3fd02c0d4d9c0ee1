import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { needsPostgres } from '../../../servers/postgres.js';
import { useServer } from '../../../stores/sql/client.js';
import { Choices } from '../../kernel/choices.js';
import { World } from '../../kernel/world.js';
import { loadSubject } from '../../subject/load.js';
import { openPool } from './pool.js';
import { PostgresService } from './service.js';

const message = (error: unknown) => String((error as Error).message);

/** What a program sees of a Pool with room for two connections. */
async function program(pool: pg.Pool): Promise<unknown[]> {
  const seen: unknown[] = [];
  const failing = (work: Promise<unknown>) => work.then(() => 'no error', message);
  const [one, two] = [await pool.connect(), await pool.connect()];
  for (const client of [one, two]) client.on('error', (error) => seen.push(`client: ${error.message}`));
  seen.push(await failing(pool.connect()));
  const several = await one.query('BEGIN; SELECT 1 AS a; SELECT 2 AS a');
  seen.push([several].flat().map(({ command, rows }) => [command, rows.length]));
  seen.push(await failing(one.query('SELECT * FROM nothing')), await failing(one.query('SELECT 1')));
  seen.push((await one.query('COMMIT')).command);
  const waiting = pool.connect();
  one.release();
  seen.push((await waiting) === one);
  // The server ends the connection of `two` once it sleeps.
  const { pid } = (await two.query('SELECT pg_backend_pid() AS pid')).rows[0];
  const ended = new Promise((resolve) => two.once('end', resolve));
  const sleeping = failing(two.query('SELECT pg_sleep(30)'));
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ${pid} AND state = 'active'`;
  while ((await one.query(terminate)).rows.length === 0);
  await ended;
  seen.push(await sleeping, await failing(two.query('SELECT 1')));
  two.release(true);
  one.release();
  const next = await pool.connect();
  seen.push(next === one, (await next.query('SELECT 3 AS a')).rows.length);
  next.release(true);
  seen.push(pool.totalCount);
  return seen;
}

const OPTIONS = { max: 2, connectionTimeoutMillis: 1000 };

describe.skipIf(needsPostgres)(`the simulated Pool of pg beside the real one${needsPostgres}`, () => {
  const server = useServer('postgres');

  it('shows a program the same', { timeout: 60_000 }, async () => {
    const url = server.server().url;
    const real = new pg.Pool({ connectionString: url, ...OPTIONS });
    real.on('error', () => {});
    const seen = await program(real);
    await real.end();

    const subject = await loadSubject();
    const world = new World(Choices.ofTape([]));
    const process = world.process('app');
    const service = new PostgresService(world);
    let simulated: unknown;
    process.start(() => {
      void program(openPool(subject.pg, process, service, OPTIONS)).then((result) => {
        simulated = result;
      });
    });
    await world.run(() => simulated !== undefined);
    expect(simulated).toEqual(seen);
  });
});
