import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import { RawBodyUnavailableError } from '../errors.js';
import { answerHeaders, type DeliveryResult, validStatus } from '../handle/answer.js';
import { type BodyReader, type DeliveryRequest, incomplete, pathOf, readBody } from '../receive/request.js';
import type { RawBody } from '../signature/verify-signature.js';

/** A request of node:http, to which a framework may have added the raw bytes. */
export type NodeRequest = IncomingMessage & {
  readonly rawBody?: unknown;
  readonly body?: unknown;
  /** The `url` before a router removed its prefix. */
  readonly originalUrl?: string;
};

/** Where a framework keeps the body outside of the Node request. */
export interface KeptBody {
  readonly rawBody?: unknown;
  readonly body?: unknown;
  /** The stream from which the framework reads the body. (Default: the Node request.) */
  readonly stream?: Readable;
}

/** Wraps a Node request; `fix` is the advice if its body was already read. */
export function fromNodeRequest(
  request: NodeRequest,
  fix: string,
  { rawBody, body, stream = request }: KeptBody = {},
): DeliveryRequest {
  return {
    // No getters: an object literal with one takes 1 µs, 4 % of a request.
    method: request.method,
    url: pathOf(request.originalUrl ?? request.url),
    peer: (request as { stream?: ServerHttp2Stream }).stream?.session ?? request.socket,
    header: (name) => request.headers?.[name],
    rawBody() {
      // Vercel reads the body before the function runs and replays it to listeners. Its getter `body` parses, and may
      // throw. Next replaces `pipe`, too, but does not replay.
      if (stream.readableEnded && Object.hasOwn(stream, 'read') && !Object.hasOwn(stream, 'pipe'))
        return readerOf(stream, true);
      const kept = [rawBody, body, request.rawBody, request.body];
      // `isView` works across realms, where instanceof does not.
      const bytes =
        kept.find(ArrayBuffer.isView) ?? [rawBody, request.rawBody].find((each) => typeof each === 'string');
      if (bytes !== undefined) return bytes as RawBody;
      if (isRead(stream)) throw new RawBodyUnavailableError(fix);
      return readerOf(stream);
    },
  };
}

/** A parser may set `req.body` without reading, so only the stream shows if it was read. */
function isRead(stream: Readable): boolean {
  if (typeof stream.on !== 'function') return true;
  // With a `readable` listener, a second reader gets no data.
  const isShared = stream.listenerCount('readable') > 0 && !stream.readableEnded;
  return stream.readableDidRead || stream.readableEncoding !== null || isShared;
}

function readerOf(stream: Readable, isReplayed = false): BodyReader {
  return readBody((add, finish) => {
    const cut = (cause?: unknown) => finish(incomplete('the connection closed', cause));
    const end = () => {
      // Creating an error takes 10 µs.
      stream.off('close', cut);
      finish();
    };
    // Never removed: an error after the answer must not end the process.
    stream.on('error', cut);
    if (isReplayed || stream.readable) {
      stream.on('data', add);
      stream.on('end', end);
      stream.on('close', cut);
      // The stream may be paused.
      stream.resume();
    } else if (stream.readableEnded) end();
    else cut();
    return () => {
      stream.off('data', add).off('end', end).off('close', cut);
      // `respond` handles the bytes that still arrive.
      stream.pause();
    };
  });
}

/** How long a connection stays open after an early answer, so that the sender can read it. */
const LINGER_MS = 1000;
/** How many connections may linger; others are closed immediately. */
const MOST_LINGERING = 100;

let lingering = 0;

/**
 * Answers with an empty body. Keeps the connection usable, or closes it if the sender has not finished. Never throws: if the
 * answer cannot be sent, it destroys the response.
 */
export function respond(request: NodeRequest, response: ServerResponse, result: DeliveryResult): void {
  try {
    if (response.headersSent) return;
    const { stream } = response as { stream?: ServerHttp2Stream };
    // In HTTP/2, a request can be ended early without closing its connection.
    const isHttp2 = typeof stream?.close === 'function';
    // Fake requests of test tools have no `complete`.
    const isReceived = request?.complete !== false;
    response.statusCode = validStatus(result.status);
    for (const [name, value] of answerHeaders(result)) {
      if (name !== 'Connection' || !isHttp2) response.setHeader(name, value);
    }
    if (isReceived || isHttp2) {
      response.end();
      if (!isReceived) stream?.close();
    } else if (!response.destroyed) {
      response.setHeader('Connection', 'close');
      response.setHeader('Content-Length', '0');
      // The connection is closed right after the answer.
      if (result.error?.code === 'ERR_WEBHOOK_OVERLOADED' || lingering >= MOST_LINGERING) response.end();
      else linger(request, response);
    }
  } catch {
    // The host replaced its response's methods. A sender without an answer retries.
    response.destroy();
  }
}

/** Discards bytes for a moment: a sender that is still sending would miss the answer if the connection closed now. */
function linger(request: NodeRequest, response: ServerResponse): void {
  response.flushHeaders();
  lingering++;
  const close = () => {
    clearTimeout(timer);
    lingering--;
    request.off('end', close).off('close', close);
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.once('end', close).once('close', close).resume();
}
