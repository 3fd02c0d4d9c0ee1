import pg from 'pg';
import { startRestartableDynamoDB } from '../servers/dynamodb.js';
import { startMariadb } from '../servers/mariadb.js';
import { startPostgres } from '../servers/postgres.js';
import { startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { type Mode, wiresOf } from './modes.js';
import { buildPrograms } from './programs.js';
import type { Ground } from './scenario.js';

/** The programs for runs of these modes, Postgres for the effects, and the servers that the modes use. */
export async function openGround(modes: readonly Mode[]): Promise<Ground & { close(): Promise<void> }> {
  const used = new Set(modes.flatMap(wiresOf));
  const [children, postgres, mariadb, redis, dynamodb] = await Promise.all([
    buildPrograms(new URL('child/', import.meta.url), 'receiver', 'worker'),
    startPostgres(),
    used.has('mariadb') ? startMariadb() : absent,
    used.has('redis') ? startRedis() : absent,
    used.has('dynamodb') ? startRestartableDynamoDB() : absent,
  ]);
  await findDeadlocksSoon(postgres.url);
  return {
    servers: { postgres, mariadb, redis, dynamodb },
    programs: children.directory,
    async close() {
      await Promise.all([postgres.stop(), mariadb.stop(), redis.stop(), dynamodb.stop(), children.remove()]);
    },
  };
}

/** Before a handler that waits for a lock is late. By default Postgres looks after a second. */
async function findDeadlocksSoon(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("ALTER SYSTEM SET deadlock_timeout = '50ms'");
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/** In the place of a server that no mode uses then. */
const absent: TestServer = {
  url: 'absent://127.0.0.1:0',
  port: 0,
  kill: refuse,
  restart: refuse,
  pause: refuse,
  resume: refuse,
  stop: async () => {},
};

function refuse(): never {
  throw new Error('The server is not installed.');
}
