import { type FileHandle, open } from 'node:fs/promises';
import { inputError } from './command-error.js';
import { fileReason } from './input-file.js';
import type { Output } from './output.js';
import { type RecordedDelivery, recordingLine } from './recording.js';

/** A recording that deliveries are added to. */
export interface RecordingWriter {
  /** Adds a delivery; resolves once it is in the file. Deliveries stand in the order of the calls. */
  write(delivery: RecordedDelivery): Promise<void>;
  /** Closes the file after what is being written. */
  close(): Promise<void>;
}

const NEWLINE = 10;
/** How each line starts that recordingLine makes. */
const START = '{"at":"';

/**
 * Opens a recording to add to it, and makes it where there is none, for its owner alone to read. What an earlier run that
 * was killed left of a line at its end is noted and taken away.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file cannot be opened or written.
 */
export async function openRecording(name: string, output: Output): Promise<RecordingWriter> {
  const complain = (error: unknown) => inputError(`${name} cannot be written: ${fileReason(error)}.`);
  let file: FileHandle;
  try {
    file = await open(name, 'a+', 0o600);
  } catch (error) {
    throw complain(error);
  }
  try {
    if (!(await isRecording(file)))
      throw inputError(`${name} holds something else than a recording: name another file.`);
    if (await mend(file)) output.note(`${name} ended in the middle of a line, which was taken away.`);
  } catch (error) {
    await file.close();
    throw (error as Error).name === 'CommandError' ? error : complain(error);
  }
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(delivery) {
      const line = recordingLine(delivery);
      const written = last.then(() => append(file, line));
      last = written.catch(() => {});
      return written.catch((error) => Promise.reject(complain(error)));
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/** Adds a line, or takes away what a disk that is full had room for: the next line would otherwise go on from there. */
async function append(file: FileHandle, line: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(line);
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

/** Whether a file is empty or starts as recordings do: nothing is added to, or cut off, anything else. */
async function isRecording(file: FileHandle): Promise<boolean> {
  const stat = await file.stat();
  if (!stat.isFile() || stat.size === 0) return true;
  const start = Buffer.alloc(START.length);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return START.startsWith(start.toString('latin1', 0, bytesRead));
}

/** Cuts a file behind its last newline; says whether there was anything behind it. */
async function mend(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    const keep = newline < 0 ? 0 : start + newline + 1;
    if (keep === size) return false;
    if (newline >= 0 || start === 0) {
      await file.truncate(keep);
      return true;
    }
    end = start;
  }
  return false;
}
