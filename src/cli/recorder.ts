import { open } from 'node:fs/promises';
import { inputError } from './command-error.js';
import { fileReason } from './input-file.js';
import { type RecordedDelivery, recordingLine } from './recording.js';

/** Writes deliveries to a recording, one after the other. */
export interface Recorder {
  record(delivery: RecordedDelivery): void;
  /** Resolves when all are in the file. */
  close(): Promise<void>;
}

/**
 * Opens a recording to add to it. Only its owner may read a new one: there is in it whatever is sent.
 *
 * @param onError Told once when it cannot be written any more, in words.
 * @throws CommandError `ERR_CLI_INPUT` when it cannot be opened, or ends in the middle of a line.
 */
export async function openRecorder(name: string, onError: (reason: string) => void): Promise<Recorder> {
  const complain = (reason: string) => inputError(`${name} cannot be recorded to: ${reason}.`);
  const file = await open(name, 'a+', 0o600).catch((error: unknown) => {
    throw complain(fileReason(error));
  });
  try {
    const stat = await file.stat();
    const last = Buffer.alloc(1);
    if (stat.isFile() && stat.size > 0) await file.read(last, 0, 1, stat.size - 1);
    // To write on would spoil both lines; to cut it off might spoil a file that is no recording.
    if (stat.isFile() && stat.size > 0 && last[0] !== 10) {
      throw complain('it ends in the middle of a line, so give another file');
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  let writing = Promise.resolve();
  let failed = false;
  return {
    record(delivery) {
      writing = writing
        .then(async () => {
          if (!failed) await file.appendFile(recordingLine(delivery));
        })
        .catch((error: unknown) => {
          failed = true;
          onError(fileReason(error));
        });
    },
    async close() {
      await writing;
      await file.close();
    },
  };
}
