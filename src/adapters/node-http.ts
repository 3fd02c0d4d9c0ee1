import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { answerHeaders, type DeliveryResult } from '../answer.js';
import { RawBodyUnavailableError } from '../errors.js';
import { type BodyReader, type DeliveryRequest, incomplete } from '../intake.js';
import { Collector } from './collect.js';

/** A request of node:http, or of a framework that put the raw bytes beside it. */
export type NodeRequest = IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown };

/** How long an answer that was given early waits for the sender to notice, before the connection is closed. */
const LINGER_MS = 1000;

/** What a framework has of the body, where that is not in the Node request itself. */
export interface FrameworkBody {
  readonly rawBody?: unknown;
  readonly body?: unknown;
  /** What the framework reads the body from. (Default: the Node request.) */
  readonly stream?: Readable;
}

/** Presents a Node request; `fix` says what to do when its body was read before. */
export function toDeliveryRequest(
  request: NodeRequest,
  fix: string,
  { rawBody, body, stream = request }: FrameworkBody = {},
): DeliveryRequest {
  return {
    method: request.method,
    header(name) {
      const value = request.headers[name];
      return typeof value === 'string' ? value : value?.join();
    },
    rawBody() {
      for (const kept of [rawBody, body, request.rawBody, request.body]) if (isBytes(kept)) return kept;
      for (const kept of [rawBody, request.rawBody]) if (typeof kept === 'string') return kept;
      // A parser may set req.body and leave the stream alone, so the stream is what tells whether bytes are gone.
      if (stream.readableDidRead || stream.readableEncoding !== null) throw new RawBodyUnavailableError(fix);
      return readerOf(stream);
    },
  };
}

/** Works across realms, where instanceof does not. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}

function readerOf(stream: Readable): BodyReader {
  return ({ maxBodyBytes, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const collector = new Collector(maxBodyBytes);
      const late = () => finish(incomplete(`it took more than ${timeoutMs} ms (receiveTimeoutMs)`));
      const timer = setTimeout(late, timeoutMs);
      const add = (chunk: Uint8Array) => {
        try {
          collector.add(chunk);
        } catch (error) {
          finish(error);
        }
      };
      const cut = (cause?: unknown) => finish(incomplete('the connection closed', cause));
      const end = () => finish();

      function finish(error?: unknown): void {
        clearTimeout(timer);
        stream.off('data', add).off('end', end).off('close', cut);
        if (error === undefined) resolve(collector.bytes());
        else reject(error);
      }

      // The listener for errors stays: one that comes after the answer must not bring down the process.
      stream.on('error', cut);
      if (stream.readableEnded) end();
      else if (stream.destroyed) cut();
      else stream.on('data', add).on('end', end).on('close', cut);
    });
}

/** Answers with an empty body and leaves the connection usable, or closed when the sender has not finished. */
export function respond(request: NodeRequest, response: ServerResponse, result: DeliveryResult): void {
  // Of HTTP/2 alone, where it is the one request and not the connection that can be ended early.
  const { stream } = response as { stream?: ServerHttp2Stream };
  if (response.headersSent || response.destroyed) return;
  response.statusCode = result.status;
  for (const [name, value] of answerHeaders(result)) response.setHeader(name, value);
  // Requests that a framework makes up for tests do not say whether they are complete.
  if (request.complete !== false) {
    response.end();
    return;
  }
  if (stream !== undefined) {
    response.end();
    stream.close();
    return;
  }
  // The sender is still sending. Closing at once would make it miss the answer, so what comes is dropped for a moment.
  response.setHeader('Connection', 'close');
  response.setHeader('Content-Length', '0');
  response.flushHeaders();
  const close = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.once('end', close).once('close', close).resume();
}
