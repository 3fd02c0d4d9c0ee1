import type { Output } from './output.js';
import { type RecordedDelivery, recordingBytes, recordingLine } from './recording.js';
import { openRecordingFile } from './recording-file.js';
import { type Shares, sharesOf } from './recording-shares.js';

/** A recording that deliveries are added to. */
export interface RecordingWriter {
  /**
   * Adds a delivery; resolves once it is in the file, or left out. Deliveries are written in the order of the calls. What
   * is left out, and why, is noted once and counted.
   */
  write(delivery: RecordedDelivery): Promise<void>;
  /** Closes the file after what is being written, and notes how many deliveries were left out. */
  close(): Promise<void>;
}

export interface RecordingOptions {
  readonly output: Output;
  /** Most bytes of the file. */
  readonly limit: number;
  /** Most bytes that wait for a slow disk. (Default: 64 MiB.) */
  readonly maxWaiting?: number | undefined;
}

const MIB = 1024 * 1024;
/** What a delivery and each of its headers take in memory beside their texts, by a rough count. */
const OVERHEAD = 500;

/**
 * Opens a recording to add to it. The file has at most `limit` bytes, of which three quarters are for genuine deliveries
 * and a quarter for all others: what strangers send takes no room from what is genuine. What is in the file stays in it;
 * what has no room is left out.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file cannot be opened or written.
 */
export async function openRecording(
  name: string,
  { output, limit, maxWaiting = 64 * MIB }: RecordingOptions,
): Promise<RecordingWriter> {
  const file = await openRecordingFile(name, limit, output);
  const waitingRoom = sharesOf(maxWaiting);
  const waiting: Shares = { genuine: 0, others: 0 };
  const missed: Shares = { genuine: 0, others: 0 };
  const noted = new Set<string>();
  const rest = 'Move it away to begin a new one, or raise --record-limit';
  const full = {
    genuine: `${name} has no room left for genuine deliveries, so they are not recorded any more. ${rest} (${limit / MIB} MiB).`,
    others: `${name} has no room left for deliveries that do not verify, which get a quarter of it. ${rest} (${limit / MIB} MiB).`,
  };
  const slow = `Deliveries are not recorded: ${name} cannot be written as fast as they arrive.`;
  let last: Promise<void> = Promise.resolve();

  function note(text: string): void {
    if (!noted.has(text)) output.note(text);
    noted.add(text);
  }

  function miss(kind: keyof Shares, why: string): void {
    missed[kind]++;
    note(why);
  }

  if (file.isFull) note(`${name} is full, so nothing is recorded. ${rest} (${limit / MIB} MiB).`);
  return {
    async write(delivery) {
      const kind = delivery.genuine ? 'genuine' : 'others';
      const bytes = recordingBytes(delivery);
      const size = bytes + OVERHEAD * (1 + delivery.headers.length);
      if (waiting[kind] + size > waitingRoom[kind]) return miss(kind, slow);
      waiting[kind] += size;
      last = last
        .then(async () => {
          if (!(await file.add(kind, bytes, () => recordingLine(delivery)))) miss(kind, full[kind]);
        })
        .catch((error: Error) => miss(kind, `Deliveries are not recorded: ${error.message}`))
        .finally(() => {
          waiting[kind] -= size;
        });
      await last;
    },
    async close() {
      await last;
      await file.close();
      const { genuine, others } = missed;
      if (genuine + others > 0) output.note(`Not recorded: ${genuine} genuine and ${others} other deliveries.`);
    },
  };
}
