import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasServer, startProcess, type TestServer } from './server.js';

/** Where Debian keeps the script that runs in the foreground, as any user. */
const RABBITMQ = '/usr/lib/rabbitmq/bin';

export const hasNats = hasServer('nats-server');
export const hasRabbitmq = spawnSync(`${RABBITMQ}/rabbitmqctl`, ['version']).status === 0;

/** A NATS server with JetStream, which keeps its files. */
/** A port that no client is given while a server is down: below those of outgoing connections. */
const lasting = () => 20_000 + Math.floor(10_000 * Math.random());

export async function startNats(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'nats-'));
  const port = lasting();
  const args = ['-js', '-sd', directory, '-a', '127.0.0.1', '-p', String(port)];
  const server = await startProcess('nats-server', args, 'Server is ready');
  return {
    ...server,
    ...{ port, url: `nats://127.0.0.1:${port}` },
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A RabbitMQ, with the command that sets a policy for a queue. */
export async function startRabbitmq(): Promise<TestServer & { readonly control: (...args: string[]) => void }> {
  const directory = await mkdtemp(join(tmpdir(), 'rabbitmq-'));
  const [port, distribution, epmd] = [lasting(), lasting(), lasting()];
  await writeFile(join(directory, 'plugins'), '[].');
  const env = {
    RABBITMQ_NODENAME: `rabbit${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: directory,
    RABBITMQ_LOG_BASE: directory,
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    ERL_EPMD_PORT: String(epmd),
    HOME: directory,
    // The process that was started is then that of the server.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = [...assignments, 'sh', '-c', `exec ${RABBITMQ}/rabbitmq-server >&2`];
  const server = await startProcess('env', command, 'completed with');
  return {
    ...server,
    ...{ port, url: `amqp://guest:guest@127.0.0.1:${port}` },
    control(...args) {
      const { status, stderr } = spawnSync('env', [...assignments, `${RABBITMQ}/rabbitmqctl`, ...args]);
      if (status !== 0) throw new Error(`rabbitmqctl failed: ${stderr}`);
    },
    async stop() {
      await server.stop();
      spawnSync('epmd', ['-port', String(epmd), '-kill']);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
