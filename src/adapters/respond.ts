import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { answerHeaders, type DeliveryResult, validStatus } from '../receiver/answer.js';
import type { NodeRequest } from './node-http.js';

/** How long an answer that was given early waits for the sender to notice, before the connection is closed. */
const LINGER_MS = 1000;
/** How many connections wait so at once; beyond it they are closed at once. */
const MOST_LINGERING = 100;

let lingering = 0;

/**
 * Answers with an empty body and leaves the connection usable, or closed when the sender has not finished. Never throws:
 * an answer that cannot be given ends the request without one.
 */
export function respond(request: NodeRequest, response: ServerResponse, result: DeliveryResult): void {
  try {
    if (response.headersSent || response.destroyed) return;
    answer(request, response, result);
  } catch {
    // A host that has changed its response cannot be answered through, and a sender without an answer sends again.
    response.destroy();
  }
}

function answer(request: NodeRequest, response: ServerResponse, result: DeliveryResult): void {
  // Of HTTP/2 alone, where it is the one request and not the connection that can be ended early.
  const { stream } = response as { stream?: ServerHttp2Stream };
  response.statusCode = validStatus(result.status);
  for (const [name, value] of answerHeaders(result)) {
    if (stream === undefined || name !== 'Connection') response.setHeader(name, value);
  }
  // Requests that a framework makes up for tests do not say whether they are complete.
  if (request.complete !== false) {
    response.end();
  } else if (stream !== undefined) {
    response.end();
    stream.close();
  } else {
    response.setHeader('Connection', 'close');
    response.setHeader('Content-Length', '0');
    // A dropped delivery is one of too many: its connection is closed as soon as the answer is on its way.
    if (result.error?.code === 'ERR_WEBHOOK_OVERLOADED' || lingering >= MOST_LINGERING) response.end();
    else linger(request, response);
  }
}

/** The sender is still sending. Closing at once would make it miss the answer, so what comes is dropped for a moment. */
function linger(request: NodeRequest, response: ServerResponse): void {
  lingering++;
  response.flushHeaders();
  const close = () => {
    request.off('end', close).off('close', close);
    clearTimeout(timer);
    lingering--;
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.once('end', close).once('close', close).resume();
}
