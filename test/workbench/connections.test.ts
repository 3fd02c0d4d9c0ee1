import { createServer } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { boundConnections } from '../../src/workbench/connections.js';

async function bounded(most: number) {
  const answering: (() => void)[] = [];
  let asked = () => {};
  const server = createServer((request, response) => {
    request.resume().on('end', () => answering.push(() => response.end('ok')));
    request.on('end', () => asked());
  });
  boundConnections(server, most);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    answering,
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

it('has a newcomer take the place of the connection that has waited longest, and not of one that is being answered', async () => {
  const { answering, connect, isAsked } = await bounded(2);
  const asked = isAsked();
  const busy = await connect('POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n[]');
  await asked;
  const oldest = await connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[');
  const silent = await connect();
  const newest = await connect('GET / HTTP/1.1\r\nHost: x\r\n');
  expect(await oldest.over).toBe('');
  await connect();
  expect(await silent.over).toBe('');
  answering[0]?.();
  expect(await busy.over).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
  expect(newest.socket.destroyed).toBe(false);
});
