import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the connections of an HTTP server that wait for a request, and closes each after its answer once the server
 * stops listening.
 *
 * @param most Beyond this many, the connection that has been silent for longest is closed, so that silent strangers
 * cannot keep others out.
 */
export function boundConnections(http: Server, most: number): void {
  /** The one that has been silent for longest first. */
  const waiting = new Set<Socket>();

  function wait(socket: Socket): void {
    if (!http.listening) return void socket.destroySoon();
    waiting.add(socket);
    const [first] = waiting;
    if (waiting.size > most) first?.destroy();
  }

  http.on('connection', (socket) => {
    socket.once('close', () => waiting.delete(socket));
    socket.on('data', () => {
      if (waiting.delete(socket)) waiting.add(socket);
    });
    wait(socket);
  });
  http.on('request', ({ socket }, response) => {
    waiting.delete(socket);
    response.once('finish', () => wait(socket));
  });
}
