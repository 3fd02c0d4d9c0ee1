import type { FileHandle } from 'node:fs/promises';
import { AUTHENTIC_END, NUMBER_END, numberIn } from '../deliveries/recorded.js';
import { MAX_LINE_BYTES } from './recording.js';

const NEWLINE = 10;
const CHUNK = 64 * 1024;
/** The start of each line that recordingLine makes. */
const START = '{"at":"';

/** Bytes of authentic deliveries and of all others. Neither may use the space of the other. */
export interface Shares {
  authentic: number;
  others: number;
}

/** Divides a limit: a quarter is for deliveries that anyone can send. */
export function sharesOf(bytes: number): Readonly<Shares> {
  const others = Math.floor(bytes / 4);
  return { authentic: bytes - others, others };
}

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

/**
 * Adds up the sizes of a file's lines by kind, and finds the largest number of a delivery. The end of a line shows both:
 * lines may be larger than memory.
 */
export async function countShares(file: FileHandle, end: number): Promise<{ held: Shares; lastNumber: number }> {
  const held = { authentic: 0, others: 0 };
  const chunk = Buffer.alloc(CHUNK);
  let before = Buffer.alloc(0);
  let lineStart = 0;
  let lastNumber = 0;
  for (let at = 0; at < end; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, end - at), at);
    if (bytesRead === 0) break;
    const text = Buffer.concat([before, chunk.subarray(0, bytesRead)]);
    const textStart = at - before.length;
    for (
      let newline = text.indexOf(NEWLINE, before.length);
      newline >= 0;
      newline = text.indexOf(NEWLINE, newline + 1)
    ) {
      const lineEnds = text.toString('latin1', Math.max(0, newline - NUMBER_END), newline);
      const isAuthentic = lineEnds.endsWith(AUTHENTIC_END);
      lastNumber = Math.max(lastNumber, numberIn(lineEnds) ?? lastNumber + 1);
      const lineEnd = textStart + newline + 1;
      held[isAuthentic ? 'authentic' : 'others'] += lineEnd - lineStart;
      lineStart = lineEnd;
    }
    before = text.subarray(-NUMBER_END);
    at += bytesRead;
  }
  held.others += end - lineStart;
  return { held, lastNumber };
}
