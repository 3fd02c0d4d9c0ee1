import { connect } from 'node:net';
import { freshDelivery } from './fixtures.mjs';
import { toRequest } from './load.mjs';

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
