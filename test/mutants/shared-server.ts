import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { TestMariadb } from '../servers/mariadb.js';
import type { TestServer } from '../servers/server.js';
import { openMysql2 } from '../stores/sql/clients/mysql2.js';
import { openPg } from '../stores/sql/clients/pg.js';

/** In place of test/servers/{postgres,mariadb}.ts: a new database on the server of the room, which all mutants share. */
const OTHER_ROOM = ' (skipped: another room has that server)';
export const hasPostgres = inject('postgres') !== undefined;
export const needsPostgres = hasPostgres ? '' : OTHER_ROOM;
export const hasMariadb = inject('mysql') !== undefined;
export const needsMariadb = hasMariadb ? '' : OTHER_ROOM;

function refuse(): never {
  throw new Error('Mutants share the server: leave out tests that stop it.');
}

interface Pool {
  query(text: string): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Creates a database; gives its server, which drops it in the end. */
async function database(open: () => Pool, urlOf: (name: string) => string, more = ''): Promise<TestServer> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const run = async (text: string) => {
    const pool = open();
    await pool.query(text).finally(() => pool.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const url = urlOf(name);
  const stop = () => run(`DROP DATABASE ${name}${more}`);
  return { url, port: Number(new URL(url).port), kill: refuse, restart: refuse, pause: refuse, resume: refuse, stop };
}

export function startPostgres(): Promise<TestServer> {
  const root = inject('postgres') ?? '';
  return database(
    () => openPg(root),
    (name) => root.replace(/postgres$/, name),
    ' WITH (FORCE)',
  );
}

export async function startMariadb(): Promise<TestMariadb> {
  const root = inject('mysql') ?? '';
  const server = await database(
    () => openMysql2(root),
    (name) => root.replace(/test$/, name),
  );
  return { ...server, rootUrl: server.url, url: server.url.replace('root@', 'webhook:password@') };
}
