import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { CommandError } from '../command-error.js';

/** A chain of our own on this machine. */
export interface Anvil {
  /** Where its JSON-RPC is. */
  readonly url: string;
  /** Resolves when it has ended, however that came. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const NAMES = process.platform === 'win32' ? ['anvil.exe', 'anvil.cmd'] : ['anvil'];
const MOST_OUTPUT = 64 * 1024;

/**
 * Where an anvil is: what ANVIL names, or the first on the PATH, or that of the project's node_modules. None is downloaded.
 *
 * @throws CommandError `ERR_CLI_ANVIL` that says what to install.
 */
export function findAnvil(env: NodeJS.ProcessEnv, directory: string): string {
  if (env.ANVIL) {
    if (isProgram(env.ANVIL)) return env.ANVIL;
    throw new CommandError('ERR_CLI_ANVIL', 'ANVIL names no program that can be run: give the path of one.');
  }
  const places = (env.PATH ?? '').split(delimiter).filter((place) => place !== '');
  for (let at = directory; ; at = dirname(at)) {
    places.push(join(at, 'node_modules', '.bin'));
    if (dirname(at) === at) break;
  }
  for (const place of places) {
    for (const name of NAMES) if (isProgram(join(place, name))) return join(place, name);
  }
  const how = 'npm install --save-dev @foundry-rs/anvil, or install Foundry (getfoundry.sh), or set ANVIL to its path';
  throw new CommandError('ERR_CLI_ANVIL', `--anvil needs an anvil, and there is none: ${how}.`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts an anvil on a free port of the loopback interface. It ends with this process.
 *
 * @throws CommandError `ERR_CLI_ANVIL` when it does not start.
 */
export async function startAnvil(command: string, signal: AbortSignal): Promise<Anvil> {
  const child = spawn(command, ['--port', '0', '--host', '127.0.0.1', '--color', 'never'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C in a terminal goes to every process of the group: this one is ended when what uses it has ended.
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

/** The command of the npm package is a script that starts another process: the signal is for the whole group. */
function end(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended already.
  }
}

/** The port that it says it listens on. */
function portOf(child: ChildProcess, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = () => {
      const said = output.trim().split('\n').at(-1);
      reject(new CommandError('ERR_CLI_ANVIL', `anvil did not start${said ? `: ${said}` : ''}.`));
    };
    child.once('error', fail).once('close', fail);
    signal.addEventListener('abort', fail, { once: true });
    if (signal.aborted) fail();
    // What it says later is read and dropped: unread, it would stop the chain.
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
