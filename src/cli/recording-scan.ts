import type { FileHandle } from 'node:fs/promises';
import { GENUINE_END } from './recording.js';
import type { Shares } from './recording-shares.js';

const NEWLINE = 10;
const CHUNK = 64 * 1024;
/** How each line starts that recordingLine makes. */
const START = '{"at":"';

/** Whether a file is empty or starts as recordings do: nothing is added to, or cut off, anything else. */
export async function isRecording(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(START.length);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return START.startsWith(start.toString('latin1', 0, bytesRead));
}

/** Cuts a file behind its last newline; says whether there was anything behind it. */
export async function removeIncompleteLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(CHUNK);
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

/** Counts the lines of a file in their shares, by how they end: they may be longer than memory. */
export async function countShares(file: FileHandle, size: number): Promise<Shares> {
  const held = { genuine: 0, others: 0 };
  const chunk = Buffer.alloc(CHUNK);
  let before = Buffer.alloc(0);
  let lineStart = 0;
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - at), at);
    if (bytesRead === 0) break;
    const text = Buffer.concat([before, chunk.subarray(0, bytesRead)]);
    const textStart = at - before.length;
    for (let end = text.indexOf(NEWLINE, before.length); end >= 0; end = text.indexOf(NEWLINE, end + 1)) {
      const isGenuine = text.toString('latin1', Math.max(0, end - GENUINE_END.length), end) === GENUINE_END;
      const lineEnd = textStart + end + 1;
      held[isGenuine ? 'genuine' : 'others'] += lineEnd - lineStart;
      lineStart = lineEnd;
    }
    before = text.subarray(-GENUINE_END.length);
    at += bytesRead;
  }
  return held;
}
