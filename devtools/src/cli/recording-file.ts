import { constants } from 'node:fs';
import { inputError } from './command-error.js';
import type { Complaint } from './input-file.js';
import type { Output } from './output.js';
import { openPrivate, writeReason } from './private-file.js';
import { countShares, endLastLine, isRecording, type Shares, sharesOf } from './recording-scan.js';

/** A recording on disk. Calls must not overlap. */
export interface RecordingFile {
  /** Whether the file had reached its limit when it was opened. */
  readonly isFull: boolean;
  /** The largest number of its deliveries when it was opened. */
  readonly lastNumber: number;
  /**
   * Appends a line of the given size, which is built only if it fits. Resolves with false if it does not.
   *
   * @throws CommandError `ERR_CLI_INPUT` when the write fails. The file is then unchanged.
   */
  add(kind: keyof Shares, bytes: number, line: () => string): Promise<boolean>;
  close(): Promise<void>;
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
  const file = await openPrivate(name, O_RDWR | O_CREAT | O_APPEND, complain);
  let held: Shares = { ...room };
  let lastNumber = 0;
  let end = 0;
  /** Whether part of a line may follow the valid end. */
  let isTorn = false;
  try {
    await prepare();
  } catch (error) {
    await file.close();
    throw (error as Error).name === 'CommandError' ? error : complain(writeReason(error));
  }

  async function prepare(): Promise<void> {
    if (!(await isRecording(file))) throw inputError(`${name} is not a recording: choose another file.`);
    await file.chmod(0o600);
    if (await endLastLine(file)) output.note(`${name} ended with an incomplete line, which was removed.`);
    end = (await file.stat()).size;
    // Nothing is added to a full file, so its shares do not matter.
    if (end < limit) ({ held, lastNumber } = await countShares(file, end));
  }

  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    try {
      for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
    } catch (error) {
      // The written part would precede the next line.
      isTorn = true;
      await file.truncate(end).catch(() => {});
      throw error;
    }
  }

  return {
    isFull: end >= limit,
    lastNumber,
    async add(kind, bytes, line) {
      if (held[kind] + bytes > room[kind] || end + bytes > limit) return false;
      try {
        if (isTorn) await file.truncate(end);
        isTorn = false;
        await append(line());
      } catch (error) {
        throw complain(writeReason(error));
      }
      end += bytes;
      held[kind] += bytes;
      return true;
    },
    close: () => file.close(),
  };
}
