import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { nothing } from '../../contracts/store-helpers.js';

/** The bytes that a server sends to a connection when it shuts down. */
const ending = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0';
  const message = Buffer.alloc(5 + fields.length);
  message.write('E');
  message.writeInt32BE(4 + fields.length, 1);
  message.write(fields, 5);
  return message;
})();
/** The bytes that a server sends when it is ready for a query, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A proxy that cuts every connection at the next message that contains a text. */
export async function startCutter(port: number) {
  const sockets = new Set<Socket>();
  let armed: { text: RegExp; deliver: boolean } | undefined;
  /** How many messages pass until all connections are cut for good. */
  let left = Number.POSITIVE_INFINITY;
  let isLastDelivered = false;
  let isEnding = false;
  const server = createServer((client) => {
    if (left < 0) return void client.on('error', nothing).destroy();
    const upstream = dial(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', nothing).on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    upstream.on('data', (data) => {
      if (isEnding && data.subarray(-READY.length).equals(READY)) client.end(Buffer.concat([data, ending]));
      else client.write(data);
    });
    client.on('data', (data) => {
      if (--left < 0) {
        if (left === -1 && isLastDelivered) upstream.end(data);
        for (const socket of sockets) if (socket !== upstream) socket.destroy();
        return;
      }
      if (!armed?.text.test(data.toString('latin1'))) {
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
    /** From now on, the server ends every connection as soon as it is ready. */
    endWhenReady(does: boolean) {
      isEnding = does;
    },
    /** From this message on, counted from 1, all connections are cut. With `deliver`, the server gets that message. */
    dieAt(message: number, deliver: boolean) {
      left = message - 1;
      isLastDelivered = deliver;
    },
    isDead: () => left < 0,
    /** With `deliver`, the server gets the message but its answer is lost. */
    cutAt(text: string, deliver: boolean) {
      // The settings of MySQL include autocommit.
      armed = { text: new RegExp(`(?<!auto)(?:${text})`, 'i'), deliver };
    },
  };
}
