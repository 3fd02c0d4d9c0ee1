import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { boundConnections } from '../../src/listener/connections.js';

const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n';

async function bounded(most: number) {
  const answering: (() => void)[] = [];
  const http = createServer((_, response) => answering.push(() => response.end('ok')));
  boundConnections(http, most);
  await once(http.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return {
    ...{ http, answering },
    async connect(text = ''): Promise<{ socket: Socket; over: Promise<string> }> {
      const socket = createConnection(port, '127.0.0.1').setEncoding('utf8');
      onTestFinished(() => void socket.destroy());
      let got = '';
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          got += chunk;
        });
      const over = new Promise<string>((resolve) => socket.once('close', () => resolve(got)));
      const asked = text.endsWith('\r\n\r\n') ? once(http, 'request') : undefined;
      const [accepted] = (await once(http, 'connection')) as [Socket];
      if (text) socket.write(text);
      await (asked ?? (text && once(accepted, 'data')));
      return { socket, over };
    },
  };
}

it('closes the connection that has been silent for longest when a new one needs its place, and none that is being answered', async () => {
  const { answering, connect } = await bounded(2);
  const busy = await connect(`${HEAD}Connection: close\r\n\r\n`);
  const silent = await connect();
  const partial = await connect(HEAD);
  await connect();
  expect(await silent.over).toBe('');
  await connect();
  expect(await partial.over).toBe('');
  answering[0]?.();
  expect(await busy.over).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
});

it('closes a connection after its answer once the server stops listening', async () => {
  const { answering, connect, http } = await bounded(10);
  const busy = await connect(`${HEAD}\r\n`);
  http.close();
  answering[0]?.();
  expect(await busy.over).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok$/);
});

it('answers requests one after the other on a connection', async () => {
  const { answering, connect, http } = await bounded(1);
  const { socket, over } = await connect(`${HEAD}\r\n`);
  const first = once(socket, 'data');
  answering[0]?.();
  expect((await first)[0]).toMatch(/^HTTP\/1\.1 200 /);
  socket.write(`${HEAD}Connection: close\r\n\r\n`);
  await once(http, 'request');
  answering[1]?.();
  expect((await over).match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});
