import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** One delivery as it is sent. */
export interface Parcel {
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
}

/** The result of one POST. */
export interface Answer {
  readonly status?: number | undefined;
  /** Node's error code if there was no response, such as `ECONNRESET`; `TIMEOUT` after the time limit. */
  readonly code?: string | undefined;
  /** Whether a connection was established. */
  readonly connected: boolean;
  /** Time until the status line. */
  readonly durationMs: number;
  /** The start of the response body, as text. */
  readonly body: string;
  /** The lines of the response's headers, as text. */
  readonly head?: string | undefined;
  readonly location?: string | undefined;
}

export interface PostOptions {
  readonly agent: Agent;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** How much of the response body is read. (Default: 4096.) */
  readonly maxAnswerBytes?: number | undefined;
}

/** Sends one POST and reads the start of the response. Does not follow redirects. Never rejects. */
export async function post(url: URL, parcel: Parcel, options: PostOptions): Promise<Answer> {
  const { answer, stale } = await attempt(url, parcel, options);
  // The receiver closed an idle connection, so it has not read the delivery.
  return stale ? (await attempt(url, parcel, options)).answer : answer;
}

function attempt(
  url: URL,
  { headers, body }: Parcel,
  { agent, timeoutMs, signal, maxAnswerBytes = 4096 }: PostOptions,
) {
  return new Promise<{ answer: Answer; stale: boolean }>((resolve) => {
    const start = performance.now();
    let connected = false;
    let durationMs: number | undefined;
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let length = 0;

    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent,
      headers: [['Host', url.host], ...headers, ['Content-Length', String(body.byteLength)]] as never,
    });
    const finish = (code?: string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      const { statusCode: status, headers: { location } = {}, rawHeaders } = response ?? {};
      const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
      const answer = {
        ...{ status, connected, location, body: text, head: rawHeaders?.join('\n') },
        durationMs: durationMs ?? performance.now() - start,
      };
      const stale = status === undefined && code === 'ECONNRESET' && request.reusedSocket;
      resolve({ answer: status === undefined ? { ...answer, code } : answer, stale });
    };
    const give = (code: string) => {
      request.on('error', () => {});
      request.destroy();
      finish(code);
    };
    const abort = () => give('ABORTED');
    const timer = setTimeout(() => give('TIMEOUT'), timeoutMs);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });

    request.on('socket', (socket) => {
      if (request.reusedSocket) connected = true;
      else
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          connected = true;
        });
    });
    request.on('error', (error: NodeJS.ErrnoException) => finish(String(error.code)));
    request.on('response', (incoming) => {
      response = incoming;
      durationMs = performance.now() - start;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= maxAnswerBytes) incoming.destroy();
      });
      incoming.on('error', () => {});
      incoming.on('close', () => finish());
    });
    request.end(body);
  });
}
