import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { ConfigError } from 'event-webhook-receiver';
import type { Entry } from './entry.js';
import { PRIVATE_FLAGS, whyNotPrivate } from './private-file.js';

/** A file of entries, one a line. A line counts once it is whole: what a kill left of one is dropped. */
export interface Journal {
  /** How many bytes the file has. */
  readonly bytes: number;
  /** Adds an entry, or throws and leaves the file as it was. */
  append(entry: Entry): void;
  /** Puts other entries in the place of all there are, at once or not at all. */
  replace(entries: Iterable<Entry>): void;
  close(): void;
}

const HEADER = '{"journal":"event-webhook-receiver/local","version":1}\n';
/** Lines are written together up to about this many characters. */
const CHUNK = 1024 * 1024;

/**
 * Opens a journal, or makes one where there is no file, or an empty one.
 *
 * @param onEntry Gets the entries that are there, in their order.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the file is something else or damaged; it is then left as it is.
 */
export function openJournal(file: string, onEntry: (entry: Entry) => void): Journal {
  const found = openExisting(file);
  let bytes = 0;
  let fd: number;

  try {
    if (found !== undefined) bytes = replay(file, readFileSync(found), onEntry);
    if (found === undefined || bytes === 0) {
      fd = rewrite([]);
      if (found !== undefined) closeSync(found);
    } else {
      fd = found;
      fchmodSync(fd, 0o600);
      ftruncateSync(fd, bytes);
    }
  } catch (error) {
    if (found !== undefined) closeSync(found);
    throw error;
  }

  function rewrite(entries: Iterable<Entry>): number {
    const fresh = `${file}.new`;
    rmSync(fresh, { force: true });
    // It holds secrets: for its owner's eyes alone, whatever the file before it was.
    const freshFd = openSync(fresh, 'wx', 0o600);
    try {
      let size = 0;
      let chunk = HEADER;
      for (const entry of entries) {
        chunk += line(entry);
        if (chunk.length < CHUNK) continue;
        size += writeAll(freshFd, chunk, size);
        chunk = '';
      }
      size += writeAll(freshFd, chunk, size);
      // What it takes the place of is gone then.
      fsyncSync(freshFd);
      renameSync(fresh, file);
      bytes = size;
      return freshFd;
    } catch (error) {
      closeSync(freshFd);
      rmSync(fresh, { force: true });
      throw error;
    }
  }

  return {
    get bytes() {
      return bytes;
    },
    append(entry) {
      try {
        bytes += writeAll(fd, line(entry), bytes);
      } catch (error) {
        // Half a line in the middle would make the file unreadable.
        ftruncateSync(fd, bytes);
        throw error;
      }
    },
    replace(entries) {
      const old = fd;
      fd = rewrite(entries);
      closeSync(old);
    },
    close: () => closeSync(fd),
  };
}

const line = (entry: Entry) => `${JSON.stringify(entry)}\n`;

/** Writes at a position, so that what a failed write left behind is written over. */
function writeAll(fd: number, text: string, position: number): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
  return written;
}

function openExisting(file: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDWR | PRIVATE_FLAGS);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const reason = whyNotPrivate(fstatSync(fd));
  if (reason === undefined) return fd;
  closeSync(fd);
  throw new ConfigError(`The file of the local service cannot be used, as ${reason}: ${file}. Choose another one.`);
}

/** Reads the entries, and gives the number of bytes that count; 0 for a file that was hardly begun. */
export function replay(file: string, found: Buffer, onEntry: (entry: Entry) => void): number {
  const header = found.subarray(0, HEADER.length).toString('latin1');
  if (HEADER.startsWith(header) && found.length < HEADER.length) return 0;
  if (header !== HEADER) {
    throw new ConfigError(
      `This file is no journal of a local service of this version, so it is left as it is: ${file}. Choose another one.`,
    );
  }
  let start = HEADER.length;
  let number = 1;
  for (let end = found.indexOf(10, start); end !== -1; end = found.indexOf(10, start)) {
    number++;
    try {
      onEntry(JSON.parse(found.toString('utf8', start, end)));
    } catch {
      // The parser's own message quotes the line, which may hold a secret.
      throw new ConfigError(`Line ${number} of the journal is damaged: ${file}. It is left as it is; choose another.`);
    }
    start = end + 1;
  }
  return start;
}
