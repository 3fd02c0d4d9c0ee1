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

/** A request with bytes in base64 can be this large. */
const inBase64 = (bytes: number) => Math.ceil(bytes / 3) * 4 + 1024;

function fromBase64(text: unknown, mostBytes: number): Uint8Array {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
  // Buffer skips characters outside base64.
  if (!bytes || bytes.toString('base64') !== text) throw new PageError(400, 'bodyBase64 is not base64.');
  if (bytes.byteLength > mostBytes)
    throw new PageError(413, `The delivery is larger than ${mostBytes / 1024 / 1024} MiB.`);
  return bytes;
}

/** The largest body of a delivery to send, in bytes: as much as receivers accept. */
const MOST_SENT = 10 * 1024 * 1024;

/** The delivery to send that a request describes. */
export async function bodyToSend(request: IncomingMessage): Promise<{ rawBody: Uint8Array; webhookId?: number }> {
  const { bodyBase64, webhookId } = await jsonBody(request, inBase64(MOST_SENT));
  const rawBody = fromBase64(bodyBase64, MOST_SENT);
  if (rawBody.byteLength === 0) throw new PageError(400, 'The delivery has no body.');
  if (webhookId === undefined) return { rawBody };
  if (!Number.isSafeInteger(webhookId)) throw new PageError(400, 'webhookId must be a whole number.');
  return { rawBody, webhookId: webhookId as number };
}

/** The largest body to compare, in bytes. */
const MOST_COMPARED = 2 * 1024 * 1024;

/** The delivery and the bytes to compare that a request names. */
export async function bytesToCompare(
  request: IncomingMessage,
): Promise<{ id: string; received: Uint8Array | undefined }> {
  const { id, bodyBase64 } = await jsonBody(request, inBase64(MOST_COMPARED));
  if (typeof id !== 'string') throw new PageError(400, 'id must be a string.');
  return { id, received: bodyBase64 === undefined ? undefined : fromBase64(bodyBase64, MOST_COMPARED) };
}
