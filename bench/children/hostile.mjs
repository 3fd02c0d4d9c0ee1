// Sends what strangers may to a port, without pause, until the parent goes: node hostile.mjs <port>
import { connect } from 'node:net';
import { forgedRequest, unfinishedRequest } from '../lib/strangers.mjs';

const port = Number(process.argv[2]);
const MIB = 1024 * 1024;
const IDLE = 600;
const CONNECTIONS = 4;

const BODIES = [
  Buffer.alloc(10 * MIB, 'x'),
  Buffer.from(`${'\0'.repeat(MIB)}x\0`),
  Buffer.from(`["${'e\u0301\u0323'.repeat(MIB / 5)}"]`),
  Buffer.from('['.repeat(MIB) + ']'.repeat(MIB)),
  Buffer.from(`[${'{},'.repeat(100_000)}{}]`),
  Buffer.from('[]'),
];

/** Sends a request again and again, each time on the answer to the one before, and connects again when it is hung up on. */
function repeat(request) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('connect', () => socket.write(request));
  socket.on('data', () => socket.write(request));
  socket.on('error', () => {}).on('close', () => setTimeout(repeat, 10, request));
}

/** Keeps a connection on which a request never ends. */
function stall(part) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {}).on('close', () => setTimeout(stall, 2000, part));
  socket.resume().write(part);
}

/** Sends bytes as fast as they are taken, whatever is answered. */
function pour(bytes) {
  const socket = connect({ port, host: '127.0.0.1' });
  const more = () => {
    if (socket.writable && socket.write(bytes)) setImmediate(more);
  };
  socket
    .on('connect', more)
    .on('drain', more)
    .on('error', () => {});
  socket.resume().on('close', () => setTimeout(pour, 10, bytes));
}

const requests = BODIES.map((body) => forgedRequest(body));
requests.push(forgedRequest(Buffer.from('[]'), { 'X-Long': 'x'.repeat(15_000) }));
for (const request of requests) for (let count = 0; count < CONNECTIONS; count++) repeat(request);
for (let count = 0; count < IDLE; count++)
  stall(count % 2 ? 'POST / HTTP/1.1\r\nHost: x\r\n' : unfinishedRequest(100_000));
const tiny = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100_000)}`;
const pipelined = 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(20_000);
for (const bytes of [tiny, pipelined]) pour(bytes);
process.on('disconnect', () => process.exit());
// Once all of them are connected.
setTimeout(() => process.send('sending'), 2000);
