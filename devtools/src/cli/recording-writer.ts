import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { linesOf } from '../deliveries/lines.js';
import { LINE_START, type RecordedDelivery, recordingLine } from '../deliveries/recorded.js';
import { inputError } from './command-error.js';
import { fileReason, openPrivate } from './input-file.js';
import type { Output } from './output.js';
import { MAX_LINE_BYTES } from './recording.js';

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
 * of `limit`, so that strangers cannot use up the space. Existing deliveries stay; new ones that do not fit are dropped.
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
  /** Whether the last line has no newline. An incomplete one stays, and readers skip it. */
  let isOpen = false;
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
    end = (await file.stat()).size;
    ({ others, lastNumber, isOpen } = await scan(file, end));
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

  async function append(line: string): Promise<void> {
    const bytes = Buffer.from(isOpen ? `\n${line}` : line);
    isOpen = true;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at);
      at += bytesWritten;
      end += bytesWritten;
    }
    isOpen = false;
  }

  async function add(delivery: RecordedDelivery): Promise<void> {
    const kind = delivery.authentic ? 'authentic' : 'others';
    const left = limit - end - Number(isOpen);
    const room = delivery.authentic ? left : Math.min(left, limit / 4 - others);
    // A line is larger than its body, and need not be made then.
    const line = delivery.body.byteLength < room ? recordingLine(delivery) : '';
    const size = Buffer.byteLength(line);
    if (size === 0 || size > room) return miss(kind, full[kind]);
    try {
      await append(line);
      if (!delivery.authentic) others += size;
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

/** Whether a file is empty or starts like a recording. Other files are never changed. */
async function isRecording(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(LINE_START.length);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return LINE_START.startsWith(start.toString('latin1', 0, bytesRead));
}

/** The end of a line that recordingLine makes. Quotes in what a sender chose are escaped, so that only fields match. */
const FIELDS = /(?:,"number":(\d{1,15}))?(,"authentic":true)?\}$/;
const LONGEST_FIELDS = 64;

/** The bytes of the deliveries that do not verify, the largest number, and whether the last line has no newline. */
async function scan(file: FileHandle, end: number) {
  const found = { others: 0, lastNumber: 0, isOpen: false };
  if (end === 0) return found;
  const chunks = file.createReadStream({ autoClose: false, start: 0, end: end - 1 });
  for await (const { bytes, ended } of linesOf(chunks, MAX_LINE_BYTES)) {
    const [, digits, authentic] = FIELDS.exec(bytes?.toString('latin1', bytes.length - LONGEST_FIELDS) ?? '') ?? [];
    found.lastNumber = Math.max(found.lastNumber, Number(digits ?? 0));
    if (!authentic) found.others += (bytes?.length ?? MAX_LINE_BYTES) + 1;
    found.isOpen = !ended;
  }
  return found;
}
