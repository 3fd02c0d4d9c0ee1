import type { IncomingMessage, ServerResponse } from 'node:http';

/** A call that a server refuses: the status, and a message for the client, which says what to do and contains nothing private. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Headers that belong to the status. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

/** The chunks of a body. The request stays open when its reader stops, so that its sender can still get a response. */
export async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    throw new HttpError(400, 'The body did not arrive in full.');
  }
}

/** The body of a request as JSON. Throws HttpError. */
export async function readJson(request: IncomingMessage, mostBytes = 64 * 1024): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(request)) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new HttpError(413, `The body is larger than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    // The parser's own message quotes the body.
    throw new HttpError(400, 'The body is not JSON in UTF-8.');
  }
}

/** How long the end of a response waits for a client that is still sending. */
const LINGER_MS = 1000;

/**
 * Answers with JSON. If the client is still sending its request, the rest of it is read and dropped for a moment first:
 * closing the connection at once would make the client miss the response.
 */
export function answerJson(
  request: IncomingMessage,
  response: ServerResponse,
  value: object,
  { status = 200, headers = {} }: Partial<Pick<HttpError, 'status' | 'headers'>> = {},
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const text = JSON.stringify(value);
  response.writeHead(status, {
    ...headers,
    // The unread rest of the body would be parsed as the next request.
    ...(!request.complete && { Connection: 'close' }),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.complete) return void response.end(text);
  response.write(text);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}
