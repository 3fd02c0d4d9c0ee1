import type { IncomingMessage } from 'node:http';
import { chunksOf, HttpError } from '../http.js';

const NEWLINE = 10;
const MIB = 1024 * 1024;
/** The largest upload. */
const MOST_BYTES = 64 * MIB;
/** The longest line: a body of 10 MiB in base64, and the other fields. */
const MOST_LINE = 16 * MIB;

/**
 * The lines of an upload, without empty ones; undefined for a line that is too long. Throws HttpError when it is larger
 * than 64 MiB or does not arrive in full.
 */
export async function* linesOf(request: IncomingMessage): AsyncGenerator<{ number: number; line: Buffer | undefined }> {
  let parts: Buffer[] = [];
  let length = 0;
  let total = 0;
  let number = 1;

  function* take() {
    if (length > 0) yield { number, line: length > MOST_LINE ? undefined : Buffer.concat(parts) };
    parts = [];
    length = 0;
    number++;
  }
  function add(part: Buffer): void {
    length += part.length;
    if (length <= MOST_LINE) parts.push(part);
    else parts = [];
  }

  for await (const chunk of chunksOf(request)) {
    total += chunk.length;
    if (total > MOST_BYTES) throw new HttpError(413, 'The recording is larger than 64 MiB. Open a part of it.');
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      yield* take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  yield* take();
}
