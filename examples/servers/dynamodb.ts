import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';

/** The npm package that contains DynamoDB Local; `npm run test:tier servers -- --install` unpacks it. */
const emulator = fileURLToPath(
  new URL('../serverless/node_modules/amplify-dynamodb-simulator/emulator', import.meta.url),
);

/** A DynamoDB Local, with one set of tables for all credentials. */
export interface LocalDynamoDB {
  readonly url: string;
  readonly port: number;
  /** Its files, to start it again on them; undefined if its tables are in memory. */
  readonly directory: string | undefined;
  readonly process: ChildProcess;
  /** Kills it, and deletes its files unless it should keep them. */
  stop(keep?: 'keep'): Promise<void>;
}

/** Starts DynamoDB Local with its tables in memory. It needs Java. */
export async function startDynamoDB(): Promise<LocalDynamoDB> {
  return start(await freePort());
}

/**
 * Starts DynamoDB Local with its tables on disk, which makes it much slower.
 *
 * @param on The files and the port of a server that was stopped, to start it again.
 */
export async function startDurableDynamoDB(on?: Pick<LocalDynamoDB, 'directory' | 'port'>): Promise<LocalDynamoDB> {
  return start(on?.port ?? (await freePort()), on?.directory ?? (await mkdtemp(join(tmpdir(), 'dynamodb-'))));
}

async function start(port: number, directory?: string): Promise<LocalDynamoDB> {
  // It runs for seconds: what compiles more of it takes longer than it saves.
  const quick = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
  const program = [
    ...quick,
    `-Djava.library.path=${emulator}/DynamoDBLocal_lib`,
    '-jar',
    `${emulator}/DynamoDBLocal.jar`,
  ];
  const storage = directory === undefined ? ['-inMemory'] : ['-dbPath', directory];
  const child = spawn('java', [...program, '-port', String(port), '-disableTelemetry', '-sharedDb', ...storage], {
    // It writes a file where it is started.
    cwd: directory ?? tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit').catch(() => {});
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output = (output + chunk).slice(-1000);
  });
  const url = `http://127.0.0.1:${port}`;
  const failed = exited.then(() => {
    throw new Error(
      `DynamoDB Local did not start: install Java, then run npm run test:tier servers -- --install. ${output}`,
    );
  });
  await Promise.race([failed, untilAnswered(url)]);
  failed.catch(() => {});
  return {
    url,
    port,
    directory,
    process: child,
    async stop(keep) {
      kill();
      await exited;
      if (directory !== undefined && keep === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

async function untilAnswered(url: string): Promise<void> {
  for (;;) {
    // Any answer will do. To a request without a signature it is an error.
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
