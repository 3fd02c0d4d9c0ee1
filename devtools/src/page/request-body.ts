import type { IncomingMessage } from 'node:http';
import { isRecord } from '../guards.js';
import { HttpError, readJson } from '../http.js';

/** The body as a JSON object. */
export async function jsonBody(request: IncomingMessage, mostBytes?: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, mostBytes);
  if (isRecord(value)) return value;
  throw new HttpError(400, 'The body is not a JSON object.');
}

/** The largest body of a delivery to send, in bytes: as much as receivers accept. */
const MOST_SENT = 10 * 1024 * 1024;
/** The largest request with such a body in base64. */
const MOST_REQUESTED = Math.ceil(MOST_SENT / 3) * 4 + 1024;

/** The body of a delivery to send, from the base64 in a request. */
export async function bodyToSend(request: IncomingMessage): Promise<Uint8Array> {
  const { bodyBase64 } = await jsonBody(request, MOST_REQUESTED);
  const rawBody = Buffer.from(String(bodyBase64), 'base64');
  // Buffer skips characters outside base64.
  if (rawBody.toString('base64') !== bodyBase64) throw new HttpError(400, 'bodyBase64 is not base64.');
  if (rawBody.byteLength === 0) throw new HttpError(400, 'The delivery has no body.');
  if (rawBody.byteLength > MOST_SENT) throw new HttpError(413, 'The delivery is larger than 10 MiB.');
  return rawBody;
}
