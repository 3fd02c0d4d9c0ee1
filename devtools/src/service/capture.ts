import type { IncomingMessage } from 'node:http';
import type { AttemptResponse, HeaderLine } from './attempt.js';
import { decompress } from './decompress.js';

/** Maximum bytes kept of a response: headers and body together, and only the headers. */
export const MOST_KEPT = 16 * 1024;
const MOST_HEADERS = 8 * 1024;

/** Collects the start of a response from the chunks it is given. */
export interface Capture {
  /** Takes the next bytes of the body. */
  take(chunk: Uint8Array): void;
  /** Bytes of the body taken so far. */
  readonly bytes: number;
  /** Whether the limit is reached: more bytes are only counted. */
  readonly full: boolean;
  /** What was kept at the first call. Gzip, deflate and br are decompressed. */
  end(): Promise<AttemptResponse>;
}

/** Keeps the headers of a response, and takes its body. */
export function createCapture(response: IncomingMessage): Capture {
  const { headers, size } = headersOf(response.rawHeaders);
  const room = MOST_KEPT - size;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let kept = 0;
  let ended: Promise<AttemptResponse> | undefined;

  async function finish(): Promise<AttemptResponse> {
    const isWhole = response.complete && bytes === kept;
    const came = bytes;
    const body = await decompress(Buffer.concat(chunks), response.headers['content-encoding'], room);
    return {
      headers,
      bodyBase64: body.bytes.toString('base64'),
      bytes: came,
      ...((!isWhole || body.truncated) && { truncated: true }),
    };
  }

  return {
    take(chunk) {
      bytes += chunk.byteLength;
      if (kept === room) return;
      // A copy: a slice would keep the whole buffer of the socket.
      const part = Uint8Array.from(chunk.subarray(0, room - kept));
      kept += part.byteLength;
      chunks.push(part);
    },
    get bytes() {
      return bytes;
    },
    get full() {
      return bytes > room;
    },
    end() {
      ended ??= finish();
      return ended;
    },
  };
}

function headersOf(raw: readonly string[]): { headers: HeaderLine[]; size: number } {
  const headers: HeaderLine[] = [];
  let size = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = raw.slice(at, at + 2) as [string, string];
    const line = name.length + value.length;
    if (size + line > MOST_HEADERS) continue;
    size += line;
    headers.push([name, value]);
  }
  return { headers, size };
}
