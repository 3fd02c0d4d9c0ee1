import { type FileHandle, open } from 'node:fs/promises';
import { inputError, usageError } from './command-error.js';
import { fileReason } from './input-file.js';
import type { Output } from './output.js';

/** A delivery in a recording. */
export interface RecordedDelivery {
  /** When it came, in Unix milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** What it was answered with. */
  readonly status?: number | undefined;
  readonly verdict?: string | undefined;
  /** Whether its signature and its time were right. */
  readonly genuine?: boolean | undefined;
}

/** More of them are not read: 64 MiB of body in base64, and what is beside it. */
export const MAX_LINE_BYTES = 90 * 1024 * 1024;

/** How the line of a genuine delivery ends, and no other: quotes in what a sender wrote are escaped. */
export const GENUINE_END = ',"genuine":true}';

/** A delivery as one line of a recording: JSON, and the newline that tells that it was written to its end. */
export function recordingLine({ body, ...delivery }: RecordedDelivery): string {
  return lineWith(delivery, Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'));
}

/** How many bytes recordingLine makes of a delivery. */
export function recordingBytes({ body, ...delivery }: RecordedDelivery): number {
  return Buffer.byteLength(lineWith(delivery, '')) + 4 * Math.ceil(body.byteLength / 3);
}

function lineWith({ at, ...delivery }: Omit<RecordedDelivery, 'body'>, bodyBase64: string): string {
  const { method, path, headers, status, verdict } = delivery;
  const genuine = delivery.genuine || undefined;
  const line = { at: new Date(at).toISOString(), method, path, headers, bodyBase64, status, verdict, genuine };
  return `${JSON.stringify(line)}\n`;
}

/**
 * The deliveries of a recording, one after the other: it may be longer than memory. What is added while it is read is not
 * read. A last line that ends in the middle, because its writer was killed or has not finished it, is noted and left out.
 *
 * @throws CommandError `ERR_CLI_INPUT` with the number of the line and what is wrong with it.
 */
export async function* readRecording(file: string, output: Output): AsyncGenerator<RecordedDelivery> {
  let number = 0;
  for await (const { text, ended } of linesOf(file)) {
    number++;
    if (text === '' && ended) continue;
    const delivery = parseLine(text);
    if (typeof delivery !== 'string') yield delivery;
    else if (ended) throw inputError(`Line ${number} of ${file} is no recorded delivery: ${delivery}.`);
    else output.note(`Line ${number} of ${file}, the last, ends in the middle: it is left out.`);
  }
}

/**
 * The delivery of a recording that `--nth` says, counted from 1; without it the only one.
 *
 * @throws CommandError when there is none, or when there are several and it is not said which.
 */
export async function recordedDelivery(
  file: string,
  nth: number | undefined,
  output: Output,
): Promise<RecordedDelivery> {
  let count = 0;
  let chosen: RecordedDelivery | undefined;
  for await (const delivery of readRecording(file, output)) {
    count++;
    if (count === (nth ?? 1)) chosen = delivery;
    if (count === nth) return delivery;
  }
  if (count === 0) throw inputError(`${file} has no deliveries.`);
  if (chosen === undefined)
    throw inputError(
      `${file} has ${count === 1 ? '1 delivery' : `${count} deliveries`}: --nth ${nth} is beyond the last.`,
    );
  if (count > 1) throw usageError(`${file} has ${count} deliveries: say which with --nth, from 1 to ${count}.`);
  return chosen;
}

async function* linesOf(file: string): AsyncGenerator<{ text: string; ended: boolean }> {
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  const line = () => Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stat = await handle.stat();
    const size = stat.isFile() ? stat.size : Number.POSITIVE_INFINITY;
    if (size === 0) return;
    // `send` to a `listen --record` of the same file would never come to its end.
    for await (const chunk of handle.createReadStream({ autoClose: false, end: size - 1 }) as AsyncIterable<Buffer>) {
      total += chunk.length;
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        parts.push(chunk.subarray(from, end));
        yield { text: line(), ended: true };
        parts = [];
        length = 0;
        from = end + 1;
      }
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_LINE_BYTES)
        throw inputError(`${file} is not a recording: it has a line of more than ${MAX_LINE_BYTES} bytes.`);
    }
    if (stat.isFile() && total < size) throw inputError(`${file} was cut while it was read.`);
  } catch (error) {
    throw (error as Error).name === 'CommandError'
      ? error
      : inputError(`${file} cannot be used: ${fileReason(error)}.`);
  } finally {
    await handle?.close();
  }
  if (length > 0) yield { text: line(), ended: false };
}

/** The delivery of a line, or what is wrong with it. */
function parseLine(text: string): RecordedDelivery | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
  const { at, method, path, headers, bodyBase64, status, verdict, genuine } = value as Record<string, unknown>;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time)) return '"at" is no time';
  if (typeof method !== 'string' || typeof path !== 'string') return '"method" and "path" must be texts';
  if (!isHeaders(headers)) return '"headers" must be a list of [name, value]';
  const body = typeof bodyBase64 === 'string' && Buffer.from(bodyBase64, 'base64');
  // Buffer skips characters outside base64. A regular expression with groups overflows the stack on several MiB.
  if (!body || body.toString('base64') !== bodyBase64) return '"bodyBase64" is not base64';
  if (status !== undefined && !Number.isInteger(status)) return '"status" is no HTTP status';
  return {
    at: time,
    method,
    path,
    headers,
    body,
    status: status as number | undefined,
    verdict: typeof verdict === 'string' ? verdict : undefined,
    genuine: genuine === true || undefined,
  };
}

const isHeaders = (value: unknown): value is readonly (readonly [string, string])[] =>
  Array.isArray(value) &&
  value.every((line) => Array.isArray(line) && line.length === 2 && line.every((each) => typeof each === 'string'));
