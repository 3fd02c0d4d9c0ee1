import { connect } from 'node:net';
import { freshDelivery } from './fixtures.mjs';
import { toRequest } from './load.mjs';

/** A request whose signature is not genuine. */
export function forgedRequest(body, more = {}) {
  const { headers } = freshDelivery(1);
  const forged = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, /^[0-9a-f]{64}$/.test(value) ? '0'.repeat(64) : value]),
  );
  return toRequest({ rawBody: body, headers: { ...forged, ...more } });
}

/** The same with a body of so many bytes of which the last never comes. */
export function unfinishedRequest(bytes) {
  return forgedRequest(Buffer.alloc(bytes, '[')).subarray(0, -1);
}

/** Sends a part of a request and nothing more. Resolves when the system has taken it, or the server has hung up. */
export function stall(port, part) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    // A stranger that is dropped sees a reset, or an answer and the end.
    socket.on('error', () => {}).on('close', () => resolve(socket));
    socket.resume().write(part, () => resolve(socket));
  });
}

/** So many strangers, some at a time; their sockets. */
export async function crowd(port, count, part, atOnce = 50) {
  const sockets = [];
  let started = 0;
  const next = async () => {
    while (started < count) {
      started++;
      sockets.push(await stall(port, part));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return sockets;
}
