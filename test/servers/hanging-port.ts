import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

// A thread that listens and then stands still: once its backlog is full, the kernel answers no further SYN.
const LISTEN_AND_BLOCK = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:net').createServer((socket) => socket.destroy());
server.listen({ port: workerData.port, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage('listening');
  Atomics.wait(workerData.gate, 0, 0);
  process.exit();
});
`;

/** Makes connecting to a free port of this machine hang, as it does to a host that drops packets. */
export async function hangPort(port: number) {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(LISTEN_AND_BLOCK, { eval: true, workerData: { port, gate } });
  await once(thread, 'message');
  const fillers: Socket[] = [];
  while (await connects(port, fillers)) {
    if (fillers.length > 20) throw new Error('The kernel keeps accepting connections for a thread that is blocked.');
  }
  return {
    /** Frees the port. */
    async release() {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      await once(thread, 'exit');
      for (const socket of fillers) socket.destroy();
    },
  };
}

/** Whether one more connection is established, which on this machine takes far less than the time it is given. */
async function connects(port: number, fillers: Socket[]): Promise<boolean> {
  const socket = dial(port, '127.0.0.1').on('error', () => {}); // It is reset when the port is released.
  fillers.push(socket);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 200);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
