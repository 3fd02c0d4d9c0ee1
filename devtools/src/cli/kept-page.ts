import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { inputError } from './command-error.js';
import type { Output } from './output.js';
import { openPrivate, writeReason } from './private-file.js';

/** Where a page was served, and its token: with both again, a tab that is open still works. */
export interface KeptPage {
  readonly token: string;
  readonly port: number;
}

const MOST_BYTES = 200;

/**
 * The file that keeps the token of a page across restarts: beside the file of the service, or for a fixed port in the
 * user's state directory. Undefined if a tab could not find the page again.
 */
export function keptPageFile(
  { file, pagePort }: { file?: string | undefined; pagePort: number },
  { XDG_STATE_HOME: state = '' }: NodeJS.ProcessEnv,
): string | undefined {
  if (file !== undefined) return `${file}.page`;
  if (pagePort === 0) return undefined;
  // A relative one is to be ignored.
  const base = isAbsolute(state) ? state : join(homedir(), '.local', 'state');
  return join(base, 'event-webhooks', `page-${pagePort}`);
}

/**
 * Reads what an earlier run kept. Undefined with a note if the file was not written by this command for this user alone; a
 * missing file needs no note.
 */
export async function readKeptPage(name: string, output: Output): Promise<KeptPage | undefined> {
  if (!existsSync(name)) return undefined;
  try {
    const file = await openPrivate(name, constants.O_RDONLY, inputError);
    try {
      const { mode, size } = await file.stat();
      // Windows has no such bits.
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw inputError('other users can read it');
      const kept = size <= MOST_BYTES ? parse(await file.readFile('utf8')) : undefined;
      if (kept === undefined) throw inputError('it has other content');
      return kept;
    } finally {
      await file.close();
    }
  } catch (error) {
    output.note(`The page has a new token: ${name} was not used, because ${(error as Error).message}.`);
    return undefined;
  }
}

/** Keeps the token and the port for the next run, in a file that only its owner can read. A failure is noted. */
export async function writeKeptPage(name: string, kept: KeptPage, output: Output): Promise<void> {
  const fresh = `${name}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(name), { recursive: true, mode: 0o700 });
    const file = await open(fresh, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(kept)}\n`);
    } finally {
      await file.close();
    }
    // In one step, and in place of a link, not of what it points to.
    await rename(fresh, name);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {});
    output.note(`An open page will not survive a restart: cannot write ${name}: ${writeReason(error)}.`);
  }
}

function parse(text: string): KeptPage | undefined {
  try {
    const { token, port } = JSON.parse(text);
    const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
    return /^[\w-]{43}$/.test(token) && isPort ? { token, port } : undefined;
  } catch {
    return undefined;
  }
}
