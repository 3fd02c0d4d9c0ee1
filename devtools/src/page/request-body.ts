import type { IncomingMessage } from 'node:http';
import { isRecord } from '../guards.js';
import { PageError } from './page-guard.js';

const MOST_BYTES = 64 * 1024;

/** The body as a JSON object. The rest of a body that is too large is read and discarded, so that its sender gets the response. */
export async function jsonBody(request: IncomingMessage, mostBytes = MOST_BYTES): Promise<Record<string, unknown>> {
  const body = await bytesOf(request, mostBytes);
  try {
    const value: unknown = JSON.parse(body.toString());
    if (isRecord(value)) return value;
  } catch {
    // The parser's own message quotes the body.
  }
  throw new PageError(400, 'The body is not a JSON object.');
}

async function bytesOf(request: IncomingMessage, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= mostBytes) chunks.push(chunk);
      else reject(new PageError(413, `The body is larger than ${mostBytes} bytes.`));
    });
    request.on('end', resolve).on('close', () => reject(new PageError(400, 'The body did not arrive in full.')));
  });
  return Buffer.concat(chunks);
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
  if (rawBody.toString('base64') !== bodyBase64) throw new PageError(400, 'bodyBase64 is not base64.');
  if (rawBody.byteLength === 0) throw new PageError(400, 'The delivery has no body.');
  if (rawBody.byteLength > MOST_SENT) throw new PageError(413, 'The delivery is larger than 10 MiB.');
  return rawBody;
}
