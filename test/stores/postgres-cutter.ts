import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { nothing } from '../contracts/store-helpers.js';

/** Stands between a client and the server, and cuts every connection at the next message that holds a text. */
export async function startCutter(port: number) {
  const sockets = new Set<Socket>();
  let armed: { text: string; deliver: boolean } | undefined;
  const server = createServer((client) => {
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', nothing).on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      if (!armed || !data.toString('latin1').toUpperCase().includes(armed.text)) {
        upstream.write(data);
        return;
      }
      const { deliver } = armed;
      armed = undefined;
      client.destroy();
      if (deliver) upstream.end(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** `deliver`: the server gets the message, and its answer is lost. */
    cutAt(text: string, deliver: boolean) {
      armed = { text, deliver };
    },
  };
}
