import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type PostOptions, post } from '../src/post.js';

/** A server that answers or ends each connection as a test says, and the requests that it got on each. */
async function server(talk: (socket: Socket, request: number, connection: number) => void) {
  const connections: Socket[] = [];
  const requests: number[] = [];
  const tcp = createServer((socket) => {
    const connection = connections.push(socket) - 1;
    requests.push(0);
    socket.on('error', () => {}).on('data', () => talk(socket, ++(requests[connection] as number), connection));
  });
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    for (const socket of connections) socket.destroy();
    tcp.close();
  });
  const url = new URL(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`);
  const send = (options: Partial<PostOptions> = {}) =>
    post(
      url,
      { headers: [], body: new Uint8Array() },
      { agent, timeoutMs: 10_000, signal: new AbortController().signal, ...options },
    );
  return { send, requests };
}

const ok = (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');

it('sends a delivery again on a new connection when the server closed the idle one', async () => {
  const { send, requests } = await server((socket, request, connection) => {
    if (connection === 0 && request === 2) socket.resetAndDestroy();
    else ok(socket);
  });
  expect(await send()).toMatchObject({ status: 200, body: 'ok', connected: true });
  expect(await send()).toMatchObject({ status: 200, body: 'ok', connected: true });
  expect(requests).toEqual([2, 1]);
});

it('sends a delivery once when the server closes a new connection', async () => {
  const { send, requests } = await server((socket) => socket.resetAndDestroy());
  expect(await send()).toMatchObject({ status: undefined, code: 'ECONNRESET', connected: true });
  expect(requests).toEqual([1]);
});

it('sends nothing when the signal is aborted already', async () => {
  const { send, requests } = await server(ok);
  expect(await send({ signal: AbortSignal.abort() })).toMatchObject({ code: 'ABORT_ERR', connected: false, body: '' });
  expect(await send()).toMatchObject({ status: 200 });
  expect(requests.filter((count) => count > 0)).toEqual([1]);
});
