import { type RecordedDelivery, recordingBytes, recordingLine } from '../deliveries/recorded.js';
import type { Output } from './output.js';
import { openRecordingFile } from './recording-file.js';
import { type Shares, sharesOf } from './recording-scan.js';

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

const MIB = 1024 * 1024;
/** Rough memory overhead of a delivery and of each of its headers. */
const OVERHEAD = 500;

/**
 * Opens a recording to append to it. Three quarters of `limit` are for authentic deliveries and a quarter for all
 * others, so that unauthenticated senders cannot use up the space. Existing deliveries stay; new ones that do not fit
 * are dropped.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file cannot be opened or written.
 */
export async function openRecording(
  name: string,
  { output, limit, maxWaiting = 64 * MIB }: RecordingOptions,
): Promise<RecordingWriter> {
  const file = await openRecordingFile(name, limit, output);
  const waitingRoom = sharesOf(maxWaiting);
  const waiting: Shares = { authentic: 0, others: 0 };
  const missed: Shares = { authentic: 0, others: 0 };
  const noted = new Set<string>();
  const rest = 'Move the file and start again, or raise --record-limit';
  const full = {
    authentic: `${name} is full: authentic deliveries are no longer recorded. ${rest} (${limit / MIB} MiB).`,
    others: `${name} has no space left for deliveries that do not verify, which get a quarter of it. ${rest} (${limit / MIB} MiB).`,
  };
  const slow = `Deliveries are not recorded: they arrive faster than ${name} can be written.`;
  let last: Promise<void> = Promise.resolve();

  function note(text: string): void {
    if (!noted.has(text)) output.note(text);
    noted.add(text);
  }

  function miss(kind: keyof Shares, why: string): void {
    missed[kind]++;
    note(why);
  }

  if (file.isFull) note(`${name} is full: nothing is recorded. ${rest} (${limit / MIB} MiB).`);
  return {
    lastNumber: file.lastNumber,
    async write(delivery) {
      const kind = delivery.authentic ? 'authentic' : 'others';
      const bytes = recordingBytes(delivery);
      const size = bytes + OVERHEAD * (1 + delivery.headers.length);
      if (waiting[kind] + size > waitingRoom[kind]) return miss(kind, slow);
      waiting[kind] += size;
      last = last
        .then(async () => {
          if (!(await file.add(kind, bytes, () => recordingLine(delivery)))) miss(kind, full[kind]);
        })
        .catch((error: Error) => miss(kind, `Deliveries are not recorded. ${error.message}`))
        .finally(() => {
          waiting[kind] -= size;
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
