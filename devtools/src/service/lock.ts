import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ConfigError } from 'event-webhook-receiver';

/** Locks that this process holds, whichever copy of the library took them. */
const held: Set<string> = Reflect.get(globalThis, Symbol.for('event-webhook-receiver.locks')) ?? new Set();
Reflect.set(globalThis, Symbol.for('event-webhook-receiver.locks'), held);

/** How often a lock that others take and leave at the same moment is tried for. */
const TRIES = 20;

/**
 * Takes the lock of a file for this process: a file beside it, that names its holder. One that a dead process left is
 * taken over. It does not see processes of other machines, or of other containers.
 *
 * @returns What gives the lock back.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` while another service has it.
 */
export function lockFile(file: string): () => void {
  const lock = `${file}.lock`;
  const holder = `${process.pid} ${startOf(process.pid)}`;
  for (let tries = 0; tries < TRIES; tries++) {
    if (create(lock, holder)) {
      held.add(lock);
      return () => {
        held.delete(lock);
        rmSync(lock, { force: true });
      };
    }
    const found = read(lock);
    if (found === undefined) continue;
    if (isHeld(lock, found)) {
      throw new ConfigError(
        `The file of the local service is in use by process ${found.split(' ')[0]}: close that one, or choose another file. (Its lock is ${lock}.)`,
      );
    }
    removeStale(lock, found);
  }
  throw new ConfigError(`The lock of the file of the local service cannot be taken: ${lock}.`);
}

/** Makes the lock with its content at once, so that nobody finds it without; false when it is there. */
function create(lock: string, holder: string): boolean {
  const own = `${lock}.${randomUUID()}`;
  writeFileSync(own, holder, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function read(lock: string): string | undefined {
  try {
    // A link is not followed, and a FIFO would block.
    return lstatSync(lock).isFile() ? readFileSync(lock, 'utf8') : undefined;
  } catch {
    // Given back in the meantime.
    return undefined;
  }
}

function isHeld(lock: string, holder: string): boolean {
  const [, pid = '', start = ''] = /^([1-9][0-9]*) ([0-9]*)$/.exec(holder) ?? [];
  // No lock of ours.
  if (pid === '') return false;
  // The start tells a process from a later one of the same number, as the first of a container always is.
  if (start !== startOf(Number(pid))) return false;
  if (Number(pid) === process.pid && start === '') return held.has(lock);
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** When a process was started, where the system tells; else an empty text. */
function startOf(pid: number): string {
  try {
    // The 22nd field; the second is a name in parentheses, which may hold spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Moves the lock aside before it is deleted, so that one which another process took just now can be put back. */
function removeStale(lock: string, holder: string): void {
  const aside = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, aside);
    if (read(aside) !== holder) linkSync(aside, lock);
  } catch {
    // Another process was quicker: the next try finds what it has made.
  } finally {
    rmSync(aside, { force: true });
  }
}
