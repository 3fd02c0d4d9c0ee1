import { constants } from 'node:fs';
import { type RecordedDelivery, recordingLine } from '../deliveries/recorded.js';
import { inputError } from './command-error.js';
import { fileReason, openPrivate } from './input-file.js';
import type { Output } from './output.js';
import { endLastLine, isRecording, scan } from './recording-scan.js';

/** A recording to which deliveries are appended. */
export interface RecordingWriter {
  /** The largest number of the deliveries that the file had before. */
  readonly lastNumber: number;
  /**
   * Appends a delivery; resolves once it is in the file or dropped. Deliveries are written in the order of the calls. The
   * first drop of each kind is noted with its reason, and all are counted.
   */
  write(delivery: RecordedDelivery): Promise<void>;
  /** Closes the file after pending writes, and notes how many deliveries were dropped. */
  close(): Promise<void>;
}

export interface RecordingOptions {
  readonly output: Output;
  /** Largest size of the file, in bytes. */
  readonly limit: number;
  /** Limit of bytes waiting for a slow disk. (Default: 64 MiB.) */
  readonly maxWaiting?: number | undefined;
}

const { O_RDWR, O_CREAT, O_APPEND } = constants;
const MIB = 1024 * 1024;
/** Rough memory overhead of a delivery and of each of its headers. */
const OVERHEAD = 500;

/**
 * Opens or creates a recording that only its owner can read, to append to it. Deliveries that do not verify get a quarter
 * of `limit`, so that strangers cannot use up the space. Existing deliveries stay; new ones that do not fit are dropped. An
 * incomplete last line, left by an earlier run that was killed, is removed with a note.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file cannot be opened or written, or is something else.
 */
export async function openRecording(
  name: string,
  { output, limit, maxWaiting = 64 * MIB }: RecordingOptions,
): Promise<RecordingWriter> {
  const complain = (reason: string) => inputError(`Cannot write ${name}: ${reason}.`);
  const file = await openPrivate(name, O_RDWR | O_CREAT | O_APPEND, complain);
  const missed = { authentic: 0, others: 0 };
  const noted = new Set<string>();
  let lastNumber = 0;
  let end = 0;
  /** Bytes of the deliveries that do not verify, over all runs. */
  let others = 0;
  /** Bytes that wait to be written. */
  let waiting = 0;
  /** Whether part of a line may follow the valid end. */
  let isTorn = false;
  let last: Promise<void> = Promise.resolve();
  const advice = `Move the file and start again, or raise --record-limit (${limit / MIB} MiB).`;
  const full = {
    authentic: `${name} is full: authentic deliveries are no longer recorded. ${advice}`,
    others: `${name} has no space left for deliveries that do not verify, which get a quarter of it. ${advice}`,
  };
  const slow = `Deliveries are not recorded: they arrive faster than ${name} can be written.`;

  try {
    if (!(await isRecording(file))) throw inputError(`${name} is not a recording: choose another file.`);
    await file.chmod(0o600);
    if (await endLastLine(file)) output.note(`${name} ended with an incomplete line, which was removed.`);
    end = (await file.stat()).size;
    ({ others, lastNumber } = await scan(file, end));
  } catch (error) {
    await file.close();
    throw (error as Error).name === 'CommandError' ? error : complain(fileReason(error));
  }

  function note(text: string): void {
    if (!noted.has(text)) output.note(text);
    noted.add(text);
  }

  function miss(kind: keyof typeof missed, why: string): void {
    missed[kind]++;
    note(why);
  }

  /** Writes a line. If that fails, the file is unchanged. */
  async function append(line: Buffer): Promise<void> {
    if (isTorn) await file.truncate(end);
    isTorn = false;
    try {
      for (let written = 0; written < line.length; ) written += (await file.write(line, written)).bytesWritten;
    } catch (error) {
      // The written part would precede the next line.
      isTorn = true;
      await file.truncate(end).catch(() => {});
      throw error;
    }
    end += line.length;
  }

  async function add(delivery: RecordedDelivery): Promise<void> {
    const kind = delivery.authentic ? 'authentic' : 'others';
    const room = delivery.authentic ? limit - end : Math.min(limit - end, limit / 4 - others);
    // A line is larger than its body, and need not be made then.
    const line = delivery.body.byteLength < room ? Buffer.from(recordingLine(delivery)) : undefined;
    if (line === undefined || line.length > room) return miss(kind, full[kind]);
    try {
      await append(line);
      if (!delivery.authentic) others += line.length;
    } catch (error) {
      miss(kind, `Deliveries are not recorded. ${complain(fileReason(error)).message}`);
    }
  }

  return {
    lastNumber,
    async write(delivery) {
      const size = 2 * delivery.body.byteLength + OVERHEAD * (1 + delivery.headers.length);
      if (waiting + size > (delivery.authentic ? maxWaiting : maxWaiting / 4)) {
        return miss(delivery.authentic ? 'authentic' : 'others', slow);
      }
      waiting += size;
      last = last
        .then(() => add(delivery))
        .finally(() => {
          waiting -= size;
        });
      await last;
    },
    async close() {
      await last;
      await file.close();
      const { authentic, others } = missed;
      if (authentic + others > 0) output.note(`Not recorded: ${authentic} authentic and ${others} other deliveries.`);
    },
  };
}
