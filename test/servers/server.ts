import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';

/** Debian has servers outside of an ordinary user's PATH. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Whether a server is installed. */
export function hasServer(command: string): boolean {
  return spawnSync(command, ['--version'], { env }).status === 0;
}

/** A server that a test has for itself, and can do to what happens to servers. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** As the kernel kills a process: nothing is flushed, nobody is told. */
  kill(): Promise<void>;
  /** Starts it again on the files that it had, after `kill`. */
  restart(): Promise<void>;
  /** It stays connected and answers nothing, until `resume`. */
  pause(): void;
  resume(): void;
  /** Stops it for good and removes its files. */
  stop(): Promise<void>;
}

/** Stops a process, and returns once all its threads have stopped: the kernel stops a busy one later than it answers. */
export function freeze(pid: number | undefined): void {
  if (pid === undefined) throw new Error('The process did not start.');
  process.kill(pid, 'SIGSTOP');
  if (process.platform !== 'linux') return;
  const isRunning = (thread: string) => {
    try {
      return !/\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    } catch {
      // It has ended.
      return false;
    }
  };
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (readdirSync(`/proc/${pid}/task`).some(isRunning)) Atomics.wait(clock, 0, 0, 1);
}

/** Resolves once nothing listens on a port of this machine. */
export async function untilClosed(port: number): Promise<void> {
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (!open) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Starts a server that runs in the foreground and logs to stderr.
 *
 * @param readyText What it logs once it accepts connections.
 */
export async function startProcess(
  command: string,
  args: readonly string[],
  readyText: string,
): Promise<Pick<TestServer, 'kill' | 'restart' | 'pause' | 'resume' | 'stop'>> {
  let server = await start();
  const killNow = () => server.kill('SIGKILL');
  process.once('exit', killNow);

  async function start(): Promise<ChildProcess> {
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      let output = '';
      const failed = (cause: unknown) =>
        reject(new Error(`${command} did not start. ${output.slice(-1000)}`, { cause }));
      child.once('error', failed).once('exit', failed);
      child.stderr.on('data', (chunk: Buffer) => {
        output += chunk;
        if (!output.includes(readyText)) return;
        child.removeListener('exit', failed);
        // Reads and drops the rest, because a full pipe would block the server.
        child.stderr.removeAllListeners('data').resume();
        resolve();
      });
    });
    return child;
  }

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  return {
    kill,
    async restart() {
      server = await start();
    },
    pause: () => freeze(server.pid),
    resume: () => void server.kill('SIGCONT'),
    async stop() {
      process.removeListener('exit', killNow);
      await kill();
    },
  };
}
