import { attempt, isRecord } from '../guards.js';
import type { DeliveryRecord } from './delivery-record.js';
import { verdictOf } from './verdict.js';
import { lastOf } from './views.js';

/** A delivery in a recording. */
export interface RecordedDelivery {
  /** Time of arrival in Unix milliseconds. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Status of the response. */
  readonly status?: number | undefined;
  readonly verdict?: string | undefined;
  /** Its number in the run that received it; runs that add to a recording continue the numbers. */
  readonly number?: number | undefined;
  /** Whether it was authentic and fresh. */
  readonly authentic?: boolean | undefined;
}

/** A delivery that was received, as it is recorded. */
export function recordedOf(
  record: DeliveryRecord,
  request: Pick<RecordedDelivery, 'method' | 'path'>,
): RecordedDelivery {
  const last = lastOf(record);
  const { at, headers, status } = last;
  const { method, path } = request;
  const [number, authentic] = [Number(record.id), record.verified === true];
  return { at, method, path, headers, body: record.rawBody, status, verdict: verdictOf(last), number, authentic };
}

/** A delivery as one line of a recording: JSON, and the newline that marks it as complete. */
export function recordingLine({ at, body, ...delivery }: RecordedDelivery): string {
  const { method, path, headers, status, verdict, number, authentic } = delivery;
  const bodyBase64 = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  const about = { at: new Date(at).toISOString(), method, path, headers, bodyBase64, status, verdict };
  return `${JSON.stringify({ ...about, number, authentic: authentic || undefined })}\n`;
}

/** The start of each line of a recording. */
export const LINE_START = '{"at":"';

/** The problem with a line that is not JSON, such as an incomplete one. */
export const NOT_JSON = 'it is not JSON';

/** The delivery of a line, or the problem with the line. */
export function readLine(text: string): RecordedDelivery | string {
  const value = attempt(() => JSON.parse(text) as unknown);
  if (value === undefined) return NOT_JSON;
  if (!isRecord(value)) return 'it is not a JSON object';
  const { at, method, path, headers, bodyBase64, status, verdict, number, authentic } = value;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time)) return '"at" is not a time';
  if (typeof method !== 'string' || typeof path !== 'string') return '"method" and "path" must be strings';
  if (!isHeaders(headers)) return '"headers" must be an array of [name, value]';
  const body = typeof bodyBase64 === 'string' && Buffer.from(bodyBase64, 'base64');
  // Buffer skips characters outside base64. A regular expression with groups overflows the stack on several MiB.
  if (!body || body.toString('base64') !== bodyBase64) return '"bodyBase64" is not base64';
  if (status !== undefined && !isStatus(status)) return '"status" is not an HTTP status';
  return {
    at: time,
    method,
    path,
    headers,
    body,
    status,
    verdict: typeof verdict === 'string' ? verdict : undefined,
    number: isNumber(number) ? number : undefined,
    authentic: authentic === true || undefined,
  };
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

const isStatus = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 999;

const isHeaders = (value: unknown): value is readonly (readonly [string, string])[] =>
  Array.isArray(value) &&
  value.every((line) => Array.isArray(line) && line.length === 2 && line.every((each) => typeof each === 'string'));
