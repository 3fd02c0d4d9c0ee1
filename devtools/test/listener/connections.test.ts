import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { acceptConnections } from '../../src/listener/connections.js';

async function bounded(most: number) {
  const answering: (() => void)[] = [];
  let asked = () => {};
  const http = createServer((request, response) => {
    request.resume().on('end', () => answering.push(() => response.end('ok')));
    request.on('end', () => asked());
  });
  const { server, closeIdle, closeAll } = acceptConnections(http, most);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    closeAll();
    server.close();
  });
  let accepted: Socket | undefined;
  server.on('connection', (socket) => {
    accepted ??= socket;
  });
  const { port } = server.address() as AddressInfo;
  return {
    /** Resolves when the first connection receives bytes. */
    received: () => once(accepted as Socket, 'data'),
    answering,
    closeIdle,
    http,
    isAsked: () =>
      new Promise<void>((resolve) => {
        asked = resolve;
      }),
    async connect(text = ''): Promise<{ socket: Socket; over: Promise<string> }> {
      const socket = createConnection(port, '127.0.0.1')
        .setEncoding('utf8')
        .on('error', () => {});
      onTestFinished(() => void socket.destroy());
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk;
      });
      const over = new Promise<string>((resolve) => socket.once('close', () => resolve(got)));
      await new Promise((resolve) => server.once('connection', resolve));
      if (text) socket.write(text);
      return { socket, over };
    },
  };
}

it('has a newcomer take the place of the connection that has been silent longest, and not of one that is being answered', async () => {
  const { answering, connect, http, isAsked } = await bounded(2);
  const asked = isAsked();
  const busy = await connect('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n[]');
  await asked;
  const silent = await connect();
  const begun = once(http, 'request');
  const partial = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[');
  await begun;
  const newest = await connect('GET / HTTP/1.1\r\nHost: x\r\n');
  expect(await silent.over).toBe('');
  await connect();
  expect(await partial.over).toBe('');
  answering[0]?.();
  expect(await busy.over).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
  expect(newest.socket.destroyed).toBe(false);
});

it('closes what is idle at once, and what is being answered once it has been', async () => {
  const { answering, closeIdle, connect, http, isAsked } = await bounded(10);
  const asked = isAsked();
  const busy = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]');
  await asked;
  const begun = once(http, 'request');
  const partial = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[');
  await begun;
  const idle = await connect();
  closeIdle();
  expect(await idle.over).toBe('');
  answering[0]?.();
  expect(await busy.over).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
  expect(partial.socket.destroyed).toBe(false);
});

it('answers requests one after the other on a connection', async () => {
  const { connect, answering, isAsked } = await bounded(10);
  const asked = isAsked();
  const { socket } = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]');
  await asked;
  const first = once(socket, 'data');
  answering[0]?.();
  expect((await first)[0]).toMatch(/^HTTP\/1\.1 200 /);
  const again = isAsked();
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(300_000)}`,
  );
  await again;
  answering[1]?.();
  await once(socket, 'close');
});

it('does not count a connection that is being answered as silent when it sends its next request', async () => {
  const { answering, connect, isAsked, received } = await bounded(1);
  const asked = isAsked();
  const busy = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]');
  await asked;
  const more = received();
  busy.socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await more;
  const silent = await connect();
  await connect();
  expect(await silent.over).toBe('');
  const again = isAsked();
  answering[0]?.();
  await again;
  answering[1]?.();
  expect((await busy.over).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});
