import { type FileHandle, open } from 'node:fs/promises';
import { linesOf } from '../deliveries/lines.js';
import { LINE_START, NOT_JSON, type RecordedDelivery, readLine } from '../deliveries/recorded.js';
import { inputError, usageError } from './command-error.js';
import { fileReason } from './input-file.js';
import type { Output } from './output.js';

/** Longest line that is read: 64 MiB of body in base64, and the other fields. */
export const MAX_LINE_BYTES = 90 * 1024 * 1024;

/** A delivery with its number in the recording. */
export type NumberedDelivery = RecordedDelivery & { readonly number: number };

/**
 * Reads the deliveries of a recording one by one, because the file may be larger than memory. Lines added meanwhile are
 * not read. Incomplete lines, which a writer left that was killed or is still writing, are skipped with a note.
 *
 * @throws CommandError `ERR_CLI_INPUT` with the line number and what is wrong.
 */
export async function* readRecording(file: string, output: Output): AsyncGenerator<NumberedDelivery> {
  let last = 0;
  for await (const { number, bytes } of linesOf(chunksOf(file), MAX_LINE_BYTES)) {
    if (bytes === undefined)
      throw inputError(`${file} is not a recording: it has a line longer than ${MAX_LINE_BYTES} bytes.`);
    const text = bytes.toString().replace(/\r$/, '');
    if (text === '') continue;
    const delivery = readLine(text);
    if (typeof delivery !== 'string') {
      const own = delivery.number ?? last + 1;
      last = Math.max(last, own);
      yield { ...delivery, number: own };
    } else if (delivery === NOT_JSON && (text.startsWith(LINE_START) || LINE_START.startsWith(text)))
      output.note(`Line ${number} of ${file} is incomplete and was skipped.`);
    else throw inputError(`Line ${number} of ${file} is not a recorded delivery: ${delivery}.`);
  }
}

/**
 * The delivery of a recording with the number of `--nth`; without it the only one.
 *
 * @throws CommandError when the recording has no such delivery, or several and none is selected.
 */
export async function recordedDelivery(
  file: string,
  nth: number | undefined,
  output: Output,
): Promise<NumberedDelivery> {
  let count = 0;
  let last: NumberedDelivery | undefined;
  for await (const delivery of readRecording(file, output)) {
    if (delivery.number === nth) return delivery;
    count++;
    last = delivery;
  }
  if (last === undefined) throw inputError(`${file} has no deliveries.`);
  const has = `${file} has ${count === 1 ? '1 delivery' : `${count} deliveries`}, the last of them #${last.number}`;
  if (nth !== undefined) throw inputError(`${has}: --nth ${nth} does not exist.`);
  if (count > 1) throw usageError(`${has}: choose one with --nth.`);
  return last;
}

/** The chunks of a file as it is now: a `replay` to a `listen --record` of the same file would never end otherwise. */
async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  let handle: FileHandle | undefined;
  let total = 0;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    const size = stat.isFile() ? stat.size : Number.POSITIVE_INFINITY;
    if (size === 0) return;
    for await (const chunk of handle.createReadStream({ autoClose: false, end: size - 1 }) as AsyncIterable<Buffer>) {
      total += chunk.length;
      yield chunk;
    }
    if (stat.isFile() && total < size) throw inputError(`${file} was truncated while it was read.`);
  } catch (error) {
    throw (error as Error).name === 'CommandError' ? error : inputError(`Cannot read ${file}: ${fileReason(error)}.`);
  } finally {
    await handle?.close();
  }
}
