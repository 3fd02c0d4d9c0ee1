import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** A Redis server of our own, with its files in a temporary directory. */
export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  /** Where its files are, to start it again on them. */
  readonly directory: string;
  readonly process: ChildProcess;
  /** Kills it. Its files are kept unless told otherwise. */
  stop(keep?: 'keep'): Promise<void>;
}

/**
 * Starts the `redis-server` of this machine, with every write on disk before it is answered: a Redis that shall keep what
 * was acknowledged needs these settings.
 *
 * @param on The files and the port of a server that was stopped, to start it again.
 */
export async function startRedis(on?: Pick<LocalRedis, 'directory' | 'port'>): Promise<LocalRedis> {
  const port = on?.port ?? (await freePort());
  const directory = on?.directory ?? (await mkdtemp(join(tmpdir(), 'redis-')));
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, ...durable], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').catch(() => {});
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const failed = (error: unknown) =>
      reject(new Error(`redis-server did not start: install it, or set REDIS_URL. ${output}`, { cause: error }));
    child.once('error', failed).once('exit', failed);
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Ready to accept connections')) resolve();
    });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    directory,
    process: child,
    async stop(keep) {
      child.kill('SIGKILL');
      await exited;
      if (keep === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
