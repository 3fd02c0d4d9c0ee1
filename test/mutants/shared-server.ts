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

const newName = () => `test_${randomBytes(8).toString('hex')}`;

function refuse(): never {
  throw new Error('Mutants share the server: leave out tests that stop it.');
}

function serverOf(url: string, stop: () => Promise<void>): TestServer {
  const port = Number(new URL(url).port);
  return { url, port, kill: refuse, restart: refuse, pause: refuse, resume: refuse, stop };
}

export async function startPostgres(): Promise<TestServer> {
  const [root, name] = [inject('postgres') ?? '', newName()];
  const run = async (text: string) => {
    const pool = openPg(root);
    await pool.query(text).finally(() => pool.end());
  };
  await run(`CREATE DATABASE ${name}`);
  return serverOf(root.replace(/postgres$/, name), () => run(`DROP DATABASE ${name} WITH (FORCE)`));
}

export async function startMariadb(): Promise<TestMariadb> {
  const [root, name] = [inject('mysql') ?? '', newName()];
  const run = async (text: string) => {
    const pool = openMysql2(root);
    await pool.query(text).finally(() => pool.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const rootUrl = root.replace(/test$/, name);
  const url = rootUrl.replace('root@', 'webhook:password@');
  return { rootUrl, ...serverOf(url, () => run(`DROP DATABASE ${name}`)) };
}
