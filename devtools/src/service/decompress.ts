import type { Transform } from 'node:stream';

/** Bytes; `truncated` if they are only the start. */
export interface Start {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/**
 * The start of a body without its Content-Encoding, even if the body is incomplete. Returns the bytes unchanged if the
 * encoding is unknown or wrong. Never rejects.
 *
 * @param most Limit of the result, in bytes: a small body may contain gigabytes.
 */
export async function decompress(body: Buffer, encoding: string | undefined, most: number): Promise<Start> {
  const asIs = { bytes: body, truncated: false };
  const known = /^(?:x-)?(gzip|deflate|br)$/.exec(encoding?.trim().toLowerCase() ?? '')?.[1];
  if (known === undefined || body.byteLength === 0) return asIs;
  // Loaded when needed: few answers to a delivery are compressed.
  const { createBrotliDecompress, createUnzip, constants } = await import('node:zlib');
  const stream: Transform =
    known === 'br'
      ? createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > most) stream.destroy();
    });
    stream.on('error', () => {}).on('close', resolve);
    stream.end(body);
  });
  if (bytes === 0) return asIs;
  return { bytes: Buffer.concat(chunks).subarray(0, most), truncated: bytes > most };
}
