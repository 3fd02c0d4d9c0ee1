import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Parcel } from '../post.js';

const SOCKETS = 200;
const CONNECT_MS = 5000;

/** Opens connections that send the head of a request and half of its body. Returns a function that closes them. */
export async function holdHalfSent(url: URL, { headers, body }: Parcel): Promise<() => void> {
  const lines = [['Host', url.host], ...headers, ['Content-Length', String(body.byteLength)]];
  const head = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const half = Buffer.concat([Buffer.from(head), body.subarray(0, body.length >> 1)]);
  const opened = await Promise.all(Array.from({ length: SOCKETS }, () => open(url, half)));
  return () => {
    for (const socket of opened) socket.destroy();
  };
}

/** Resolves when the half is sent, or could not be. */
function open(url: URL, half: Buffer): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  return new Promise((resolve) => {
    const socket = secure ? connectTls({ host, port, servername: host }) : connect({ host, port });
    const done = () => {
      clearTimeout(timer);
      resolve(socket);
    };
    const timer = setTimeout(done, CONNECT_MS);
    socket.on('error', done).on('close', done).resume();
    socket.once(secure ? 'secureConnect' : 'connect', () => socket.write(half, done));
  });
}
