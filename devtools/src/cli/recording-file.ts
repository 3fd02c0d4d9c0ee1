import { constants } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { inputError } from './command-error.js';
import type { Complaint } from './input-file.js';
import type { Output } from './output.js';
import { openPrivate, writeReason } from './private-file.js';
import { countShares, endLastLine, endsWithLine, isRecording, type Shares, sharesOf } from './recording-scan.js';

/** A recording on disk. Calls must not overlap. */
export interface RecordingFile {
  /** Whether the file has reached its limit. */
  readonly isFull: boolean;
  /**
   * Appends a line of the given size, which is built only if it fits. Resolves with false if it does not.
   *
   * @throws CommandError `ERR_CLI_INPUT` when the write fails. The file is then unchanged.
   */
  add(kind: keyof Shares, bytes: number, line: () => string): Promise<boolean>;
  close(): Promise<void>;
}

interface Opened {
  readonly file: FileHandle;
  /** Where the last line ends. */
  readonly end: number;
  readonly held: Shares;
}

const { O_RDWR, O_CREAT, O_APPEND } = constants;

/**
 * Opens or creates a recording that only its owner can read. An incomplete last line, left by an earlier run that was
 * killed, is removed with a note.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file cannot be opened or written, or is something else.
 */
export async function openRecordingFile(name: string, limit: number, output: Output): Promise<RecordingFile> {
  const room = sharesOf(limit);
  const complain: Complaint = (reason) => inputError(`Cannot write ${name}: ${reason}.`);
  const known = (error: unknown) =>
    (error as Error).name === 'CommandError' ? (error as Error) : complain(writeReason(error));
  let { file, end, held } = await open();
  /** Whether part of a line may follow the end. */
  let isTorn = false;

  async function open(): Promise<Opened> {
    const fresh = await openPrivate(name, O_RDWR | O_CREAT | O_APPEND, complain);
    try {
      return { file: fresh, ...(await prepare(fresh)) };
    } catch (error) {
      await fresh.close();
      throw known(error);
    }
  }

  async function prepare(opened: FileHandle): Promise<Omit<Opened, 'file'>> {
    if (!(await isRecording(opened))) throw inputError(`${name} is not a recording: choose another file.`);
    await opened.chmod(0o600);
    if (await endLastLine(opened)) output.note(`${name} ended with an incomplete line, which was removed.`);
    const { size } = await opened.stat();
    // Nothing is added to a full file, so its shares do not matter.
    return { end: size, held: size < limit ? await countShares(opened, 0, size) : { ...room } };
  }

  /**
   * Continues in a new file when this one was moved, and accounts for changes by other processes. Resolves with the text
   * that must precede the next line.
   */
  async function catchUp(): Promise<'' | '\n'> {
    if (await isElsewhere(name, file)) {
      const fresh = await open();
      await file.close();
      ({ file, end, held } = fresh);
      output.note(`${name} was moved or replaced. Recording continues in the file that now has this name.`);
    }
    const { size } = await file.stat();
    const before = end;
    if (size < end) ({ end, held } = await prepare(file));
    else if (isTorn) await file.truncate(end);
    else end = size;
    isTorn = false;
    if (end <= before) return '';
    const { authentic, others } = await countShares(file, before, end);
    held = { authentic: held.authentic + authentic, others: held.others + others };
    // Another listener may be writing a line.
    return (await endsWithLine(file, end)) ? '' : '\n';
  }

  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    try {
      // In one call unless the disk is full, so that the lines of two listeners do not mix.
      for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
    } catch (error) {
      // The part that was written would precede the next line.
      isTorn = true;
      await file.truncate(end).catch(() => {});
      throw error;
    }
  }

  return {
    get isFull() {
      return end >= limit;
    },
    async add(kind, bytes, line) {
      try {
        const lineBreak = await catchUp();
        const added = lineBreak.length + bytes;
        if (held[kind] + added > room[kind] || end + added > limit) return false;
        await append(lineBreak + line());
        end += added;
        held[kind] += added;
      } catch (error) {
        throw known(error);
      }
      return true;
    },
    close: () => file.close(),
  };
}

async function isElsewhere(name: string, file: FileHandle): Promise<boolean> {
  const own = await file.stat();
  try {
    const { dev, ino } = await lstat(name);
    return dev !== own.dev || ino !== own.ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
