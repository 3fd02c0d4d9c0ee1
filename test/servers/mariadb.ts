import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../examples/servers/free-port.js';
import { fillFrom } from '../../examples/servers/prepared.js';
import { hasServer, startProcess, type TestServer } from './server.js';

/** What stands in the title of a suite that needs MariaDB. */
export const hasMariadb = hasServer('mariadbd');
export const needsMariadb = hasMariadb ? '' : ' (skipped: mariadb-server-core is not installed)';

export interface TestMariadb extends TestServer {
  /** The same database as a user who may do anything. */
  readonly rootUrl: string;
}

const PREPARED = fileURLToPath(new URL('../../node_modules/.cache/mariadb', import.meta.url));

const INIT = `
CREATE DATABASE IF NOT EXISTS test;
CREATE USER IF NOT EXISTS webhook@'%' IDENTIFIED BY 'password';
GRANT ALL ON test.* TO webhook@'%';
`;

/**
 * A real MariaDB with an empty database, and a user who has rights in that database alone. It has every commit on disk
 * before it answers, which is its default, so that `kill` loses nothing.
 *
 * @param flags Further options of its command line.
 */
export async function startMariadb(...flags: readonly string[]): Promise<TestMariadb> {
  const directory = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const port = await freePort();
  const init = join(directory, 'init.sql');
  await writeFile(init, INIT);
  const data = join(directory, 'data');
  const common = [
    '--no-defaults',
    `--datadir=${data}`,
    // A server that starts removes the temporary tables of others from a folder that they share.
    `--tmpdir=${directory}`,
    // It refuses to run as root unless told to.
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
  ];
  const install = [...common, '--auth-root-authentication-method=normal', '--skip-test-db'];
  await mkdir(data);
  await fillFrom(PREPARED, data, () => promisify(execFile)('mariadb-install-db', install));
  const network = [`--port=${port}`, '--bind-address=127.0.0.1', '--skip-name-resolve'];
  const own = [`--socket=${join(directory, 'socket')}`, `--init-file=${init}`, '--max-connections=300'];
  const server = await startProcess('mariadbd', [...common, ...network, ...own, ...flags], 'ready for connections');
  return {
    ...server,
    url: `mysql://webhook:password@127.0.0.1:${port}/test`,
    rootUrl: `mysql://root@127.0.0.1:${port}/test`,
    port,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
