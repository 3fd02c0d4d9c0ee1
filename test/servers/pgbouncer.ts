import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../examples/servers/free-port.js';
import { hasServer, startProcess, type TestServer } from './server.js';

/** What stands in the title of a suite that needs pgbouncer. */
export const hasPgbouncer = hasServer('pgbouncer');
export const needsPgbouncer = hasPgbouncer ? '' : ' (skipped: pgbouncer is not installed)';

/**
 * A real pgbouncer in front of a Postgres, in transaction mode: each transaction of a client, and each statement outside
 * one, may run on another connection.
 *
 * @param settings Further settings, or others (https://www.pgbouncer.org/config.html).
 */
export async function startPgbouncer(
  postgres: { readonly url: string },
  settings: Readonly<Record<string, string | number>> = {},
): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const upstream = new URL(postgres.url);
  const { hostname, username, password } = upstream;
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 4,
    // Connects at once when a killed server is back.
    server_login_retry: 0,
    ...settings,
  };
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${upstream.port} user=${username} password=${password}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ];
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`);
  // It refuses to run as root, and must then read the file as somebody else.
  await chmod(directory, 0o755);
  const asNobody = process.getuid?.() === 0 ? ['--user=nobody'] : [];
  const server = await startProcess('pgbouncer', [...asNobody, file], 'process up');
  upstream.port = String(port);
  return {
    ...server,
    url: upstream.href,
    port,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
