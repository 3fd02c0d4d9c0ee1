import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError } from '../command-error.js';

/** A local chain. */
export interface Anvil {
  /** URL of its JSON-RPC API. */
  readonly url: string;
  /** Resolves when anvil has exited for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const MOST_OUTPUT = 64 * 1024;
const NOT_FOUND =
  'anvil was not found. Install it (npm install --save-dev @foundry-rs/anvil, or Foundry from getfoundry.sh), or set ANVIL to its path.';

/**
 * Starts anvil on a free port of 127.0.0.1. It exits with this process. Nothing is downloaded.
 *
 * @param command Its path, or a name that is looked up on the PATH, where npx and npm add node_modules/.bin.
 * @throws CommandError `ERR_CLI_ANVIL` when it does not start, with instructions when it is not installed.
 */
export async function startAnvil(command: string, signal: AbortSignal): Promise<Anvil> {
  const child = spawn(command, ['--port', '0', '--host', '127.0.0.1', '--color', 'never'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A terminal sends Ctrl+C to the whole process group, but anvil must outlive the code that uses it.
    detached: process.platform !== 'win32',
  });
  const ended = once(child, 'close').then(
    () => {},
    () => {},
  );
  const kill = () => end(child);
  process.once('exit', kill);
  void ended.then(() => process.removeListener('exit', kill));
  const stop = async () => {
    kill();
    await ended;
  };
  try {
    return { url: `http://127.0.0.1:${await portOf(child, signal)}`, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The command of the npm package starts another process, so the signal goes to the whole group. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // The process has already exited.
  }
}

/** The port that anvil prints. */
function portOf(child: ChildProcess, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (error?: NodeJS.ErrnoException) => {
      if (error?.code === 'ENOENT') return reject(new CommandError('ERR_CLI_ANVIL', NOT_FOUND));
      const said = output.trim().split('\n').at(-1);
      reject(new CommandError('ERR_CLI_ANVIL', `anvil did not start${said ? `: ${said}` : ''}.`));
    };
    child.once('error', fail).once('close', () => fail());
    signal.addEventListener('abort', () => fail(), { once: true });
    if (signal.aborted) fail();
    // Later output is read and dropped: a full pipe would block the chain.
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        if (output.length > MOST_OUTPUT) return;
        output += chunk;
        const [, digits] = /^Listening on \S+:(\d+)\s*$/m.exec(output) ?? [];
        if (digits !== undefined) resolve(Number(digits));
      });
    }
  });
}
