import { createHash, randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isWebhookError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import { storeError } from '../stores/bounded-calls.js';
import type { ReconcileCursor } from '../stores/cursor.js';

const TRIES = 20;
/** Age in ms from which a temporary file counts as left behind by a killed process. */
const ABANDONED_MS = 600_000;

/**
 * Creates a cursor for `reconcile` in a directory of this machine. Processes may share it, and one that is killed
 * between any two steps neither damages nor locks it: each value is a new file, `<path>.<number>`, and the highest
 * number is current. When `write` resolves, the value is on disk. The last two files are kept.
 *
 * It needs hard links, which FAT lacks. Machines must not share the directory over a network file system: use
 * `store.cursor(name)` of `sqlStore` instead.
 *
 * @example
 * ```ts
 * import { fileCursor } from 'event-webhook-receiver/chain/file-cursor';
 *
 * const cursor = fileCursor('/var/lib/shop/reconcile');
 * console.log(await cursor.read());
 * ```
 * @param path Prefix of the file names. The directory must exist.
 * @returns The cursor. Its methods reject with a WebhookError `ERR_WEBHOOK_STORE` when the files cannot be read or
 * written, or the newest is damaged: a damaged cursor is never reset.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` unless the path is a non-empty string.
 */
export function fileCursor(path: string): ReconcileCursor {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw optionError('path', 'the path of a file, whose directory exists', path);
  }
  const file = resolve(path);
  const directory = dirname(file);
  const prefix = `${basename(file)}.`;
  const nameOf = (version: number) => `${file}.${version}`;

  /** The numbers of the files, in ascending order. */
  async function versions(): Promise<number[]> {
    const names = (await readdir(directory)).filter((name) => name.startsWith(prefix));
    const numbers = names.map((name) => name.slice(prefix.length)).filter((text) => /^[1-9]\d{0,14}$/.test(text));
    return numbers.map(Number).sort((a, b) => a - b);
  }

  async function current(): Promise<{ version: number; value: string | undefined }> {
    for (let tries = 1; ; tries++) {
      // Twice, because a listing may miss every file while other processes write and remove files.
      const version = (await versions()).at(-1) ?? (await versions()).at(-1);
      if (version === undefined) return { version: 0, value: undefined };
      try {
        return { version, value: parse(await readFile(nameOf(version), 'utf8'), nameOf(version)) };
      } catch (error) {
        // Other processes have written twice since, and removed it.
        if (codeOf(error) !== 'ENOENT' || tries === TRIES) throw error;
      }
    }
  }

  /** Removes all but the last two files, and those of killed processes. Failures are retried with the next write. */
  async function tidy(version: number): Promise<void> {
    const old = (await versions()).filter((each) => each < version - 1).map(nameOf);
    for (const name of await readdir(directory)) {
      if (!name.startsWith(prefix) || !name.endsWith('.tmp')) continue;
      const { mtimeMs } = await stat(join(directory, name));
      if (Date.now() - mtimeMs > ABANDONED_MS) old.push(join(directory, name));
    }
    for (const each of old) await rm(each, { force: true });
  }

  async function replace(next: string, expected: string | undefined): Promise<boolean> {
    const { version, value } = await current();
    if (value !== expected) return false;
    const temporary = `${file}.${randomUUID()}.tmp`;
    try {
      await write(temporary, format(next));
      // Fails if there is a file of this name. A lock would not be safe: its owner may be frozen, and continue without it.
      await link(temporary, nameOf(version + 1));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    await sync(directory);
    // A process that was frozen after its read may have reused a number that other processes had written and removed.
    if ((await versions()).at(-1) !== version + 1) {
      await rm(nameOf(version + 1), { force: true });
      return false;
    }
    await tidy(version + 1).catch(() => {});
    return true;
  }

  const fail = (what: string) => (error: unknown) => {
    throw isWebhookError(error) ? error : storeError(`The cursor ${file} could not be ${what}.`, error);
  };
  return {
    read: async () => (await current().catch(fail('read'))).value,
    write: (next, expected) => replace(String(next), expected).catch(fail('written')),
  };
}

/** Writes a new file and flushes it to disk. */
async function write(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes the directory, so that its file names are durable. Windows does this anyway, and cannot open a directory. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const digestOf = (value: string) => createHash('sha256').update(value, 'utf16le').digest('hex');

function format(value: string): string {
  return `${JSON.stringify({ value, sha256: digestOf(value) })}\n`;
}

function parse(text: string, path: string): string {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const { value, sha256 } = Object(content);
  if (typeof value === 'string' && sha256 === digestOf(value)) return value;
  throw storeError(
    `The cursor file ${path} is damaged. Delete it to continue from the file before it, or restore it from a backup.`,
  );
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
