import type { Server as HttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createTurns, InTurns } from './turns.js';

/**
 * Accepts connections for an HTTP server, which must not listen itself, and reads them in turns: each delays the others
 * by at most one slice.
 *
 * @param most Limit of connections that wait for a request or for the rest of one. Beyond it, the connection that has
 * been silent for longest is closed, so that silent strangers cannot keep others out.
 */
export function acceptConnections(http: HttpServer, most: number) {
  const inTurns = createTurns();
  const open = new Set<InTurns>();
  const waiting = new Set<InTurns>();
  let isClosing = false;

  function wait(connection: InTurns): void {
    // A connection that is closing must not displace another.
    if (!connection.writable) return;
    waiting.add(connection);
    if (waiting.size <= most) return;
    const [first] = waiting;
    // A connection with unread bytes is not silent: this process has not read them yet.
    for (const each of waiting) if (!each.hasUnread) return void each.destroy();
    first?.destroy();
  }

  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket: Socket) => {
    const connection = new InTurns(socket, inTurns);
    open.add(connection);
    connection.once('close', () => {
      open.delete(connection);
      waiting.delete(connection);
    });
    socket.on('data', () => {
      if (waiting.delete(connection)) waiting.add(connection);
    });
    wait(connection);
    http.emit('connection', connection);
  });
  http.on('request', (request, response) => {
    const connection = request.socket as Duplex as InTurns;
    request.once('end', () => {
      waiting.delete(connection);
      if (response.writableFinished) return;
      connection.hold();
      response.once('close', () => connection.release());
    });
    response.once('finish', () => {
      connection.isIdle = true;
      if (isClosing) connection.destroySoon();
      else wait(connection);
    });
  });

  return {
    /** Listens instead of the HTTP server. */
    server,
    /** Closes idle connections now, and the others once their request is answered. */
    closeIdle(): void {
      isClosing = true;
      for (const connection of open) if (connection.isIdle) connection.destroy();
    },
    closeAll(): void {
      for (const connection of open) connection.destroy();
    },
  };
}
