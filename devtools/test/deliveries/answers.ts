import type { AttemptResponse, HeaderLine } from '../../src/deliveries/delivery-record.js';

/** A response with this body. */
export const responseOf = (body: string | Uint8Array, headers: readonly HeaderLine[] = []): AttemptResponse => ({
  headers,
  bodyBase64: Buffer.from(body).toString('base64'),
  bytes: Buffer.byteLength(body),
});
