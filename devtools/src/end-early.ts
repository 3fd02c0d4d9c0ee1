import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the end of a response waits for a client that is still sending. */
const LINGER_MS = 1000;

/**
 * Ends a response with `text`. If the client is still sending its request, the rest of it is read and dropped for a
 * moment first: closing the connection at once would make the client miss the response.
 */
export function endEarly(request: IncomingMessage, response: ServerResponse, text: string): void {
  if (request.complete) return void response.end(text);
  response.write(text);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}
