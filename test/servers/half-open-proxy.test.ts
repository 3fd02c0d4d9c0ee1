import { once } from 'node:events';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../contracts/store-helpers.js';
import { type HalfOpenProxy, startHalfOpenProxy } from './half-open-proxy.js';

describe('startHalfOpenProxy', () => {
  let server: Server;
  let proxy: HalfOpenProxy;
  let seen: string;
  let sockets: Socket[];

  beforeEach(async () => {
    seen = '';
    sockets = [];
    server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (data) => {
          seen += data;
          socket.write(data);
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    proxy = await startHalfOpenProxy((server.address() as { port: number }).port);
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy.stop();
    server.close();
  });

  function open() {
    const socket = dial(proxy.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const heard = { text: '', closed: false };
    socket.on('data', (data) => {
      heard.text += data;
    });
    socket.on('close', () => {
      heard.closed = true;
    });
    return { socket, heard };
  }

  async function echoes(text: string) {
    const { socket, heard } = open();
    socket.write(text);
    await eventually(async () => expect(heard.text).toBe(text));
    return { socket, heard };
  }

  it('swallows what open connections say, and lets new ones work', async () => {
    const old = await echoes('a');
    proxy.goHalfOpen();
    old.socket.write('b');
    await echoes('c');
    expect(seen).toBe('ac');
    expect(old.heard).toEqual({ text: 'a', closed: false });
    expect(proxy.connections()).toBe(2);
  });

  it('swallows what new connections say until it is healed', async () => {
    proxy.swallowNew();
    const { socket, heard } = open();
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write('a', resolve));
    await proxy.heal();
    await echoes('b');
    expect(seen).toBe('b');
    expect(heard).toEqual({ text: '', closed: false });
  });

  it('lets connecting hang until it is healed, and keeps what is connected', async () => {
    const old = await echoes('a');
    await proxy.hangConnects();
    const { socket } = open();
    old.socket.write('b');
    await eventually(async () => expect(old.heard.text).toBe('ab'));
    expect(socket.connecting).toBe(true);
    socket.destroy();
    await proxy.heal();
    await echoes('c');
  });

  it('cuts in place of answers to what was done', async () => {
    const { socket, heard } = await echoes('a');
    proxy.cutAnswers(1);
    socket.write('b');
    await eventually(async () => expect(heard.closed).toBe(true));
    expect(seen).toBe('ab');
    expect(heard.text).toBe('a');
    expect(proxy.cuts()).toBe(1);
    await echoes('c');
  });
});
