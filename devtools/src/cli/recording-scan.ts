import type { FileHandle } from 'node:fs/promises';
import { linesOf } from '../deliveries/lines.js';
import { MAX_LINE_BYTES } from './recording.js';

const NEWLINE = 10;
const CHUNK = 64 * 1024;
/** The start of each line that recordingLine makes. */
const START = '{"at":"';

/** Whether a file is empty or starts like a recording. Other files are never changed. */
export async function isRecording(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(START.length);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return START.startsWith(start.toString('latin1', 0, bytesRead));
}

/** Completes the last line of a file with a newline, or removes it if it is incomplete. Resolves with whether it was removed. */
export async function endLastLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const end = await endOfLines(file, size);
  if (end === size) return false;
  if (await isComplete(file, end, size)) {
    await file.write('\n', size);
    return false;
  }
  await file.truncate(end);
  return true;
}

/** The end of the last line that has a newline. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

/** Whether a line without a newline, as an editor may leave it, is complete: part of a JSON object never parses. */
async function isComplete(file: FileHandle, start: number, end: number): Promise<boolean> {
  if (end - start > MAX_LINE_BYTES) return false;
  const line = Buffer.alloc(end - start);
  await file.read(line, 0, line.length, start);
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** The end of a line that recordingLine makes. Quotes in what a sender chose are escaped, so that only fields match. */
const FIELDS = /(?:,"number":(\d{1,15}))?(,"authentic":true)?\}$/;
const LONGEST_FIELDS = 64;

/** The bytes of the deliveries that do not verify, and the largest number, in a file of lines. */
export async function scan(file: FileHandle, end: number): Promise<{ others: number; lastNumber: number }> {
  let [others, lastNumber] = [0, 0];
  if (end === 0) return { others, lastNumber };
  const chunks = file.createReadStream({ autoClose: false, start: 0, end: end - 1 });
  for await (const { bytes } of linesOf(chunks, MAX_LINE_BYTES)) {
    const [, digits, authentic] = FIELDS.exec(bytes?.toString('latin1', bytes.length - LONGEST_FIELDS) ?? '') ?? [];
    lastNumber = Math.max(lastNumber, Number(digits ?? 0));
    if (!authentic) others += (bytes?.length ?? MAX_LINE_BYTES) + 1;
  }
  return { others, lastNumber };
}
