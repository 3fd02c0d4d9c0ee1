import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { answerHeaders, type DeliveryResult, validStatus } from '../handle/answer.js';
import type { NodeRequest } from './node-http.js';

/** How long a connection stays open after an early answer, so that the sender can read it. */
const LINGER_MS = 1000;
/** How many connections may linger; others are closed immediately. */
const MOST_LINGERING = 100;

let lingering = 0;

/** Whether the body was read before the receiver could read it. The host's error handler should get this error. */
export function isUnavailable({ error }: DeliveryResult): boolean {
  return error?.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
}

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
