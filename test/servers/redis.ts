import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { startRedis as start } from '../../examples/servers/redis.js';
import { freeze, type TestServer } from './server.js';

/** What stands in the title of a suite that needs Redis. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
export const needsRedis = hasRedis ? '' : ' (skipped: redis-server is not installed)';

/** A real Redis that has every write on disk before it answers, so that `kill` loses nothing. */
export async function startRedis(): Promise<TestServer> {
  let server = await start();
  return {
    url: server.url,
    port: server.port,
    async kill() {
      if (server.process.exitCode !== null || server.process.signalCode !== null) return;
      server.process.kill('SIGKILL');
      await once(server.process, 'exit');
    },
    async restart() {
      server = await start(server);
    },
    pause: () => freeze(server.process.pid),
    resume: () => void server.process.kill('SIGCONT'),
    stop: () => server.stop(),
  };
}
