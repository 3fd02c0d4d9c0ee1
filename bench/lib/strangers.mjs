import { connect } from 'node:net';
import { freshDelivery } from './fixtures.mjs';
import { toRequest } from './load.mjs';

/** A forged request with a body of so many bytes of which the last never comes. */
export function unfinishedRequest(bytes) {
  const { headers } = freshDelivery(1);
  const forged = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, /^[0-9a-f]{64}$/.test(value) ? '0'.repeat(64) : value]),
  );
  return toRequest({ rawBody: Buffer.alloc(bytes, '['), headers: forged }).subarray(0, -1);
}

/** Sends a part of a request and nothing more. Resolves when the system has taken it, or the server has hung up. */
function stall(port, part) {
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

/** Milliseconds from sending a genuine delivery on a connection of its own to its 200. */
export function latency(port) {
  const request = toRequest(freshDelivery(1));
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const start = performance.now();
    socket.on('error', reject).once('data', (answer) => {
      socket.destroy();
      if (answer.toString('latin1', 0, 12) === 'HTTP/1.1 200') resolve(performance.now() - start);
      else reject(new Error(`A genuine delivery was refused: ${answer.toString('latin1', 0, 40)}`));
    });
    socket.write(request);
  });
}

/** The latencies of genuine deliveries that come one after another, in order of size. */
export async function latencies(port, count) {
  const all = [];
  for (let at = 0; at < count; at++) all.push(await latency(port));
  return all.sort((a, b) => a - b);
}
