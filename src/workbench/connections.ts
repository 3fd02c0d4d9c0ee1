import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds how many connections wait for a request, or for the rest of one. A newcomer takes the place of the one that has
 * waited longest: strangers that say nothing must not keep others out.
 */
export function boundConnections(server: Server, most: number): void {
  const waiting = new Set<Socket>();
  const wait = (socket: Socket) => {
    // One that is being closed takes nobody's place.
    if (!socket.writable) return;
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size > most) oldest?.destroy();
  };
  server.on('connection', (socket) => {
    socket.once('close', () => waiting.delete(socket));
    wait(socket);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    request.once('end', () => waiting.delete(socket));
    response.once('finish', () => wait(socket));
  });
}
