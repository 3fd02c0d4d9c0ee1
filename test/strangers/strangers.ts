import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { framed, genuine, headersOf, type SignedDelivery } from '../matrix/deliveries.js';
import { answerTo, head } from '../matrix/wire.js';

/** How a stranger holds its place: what it declares, what it sends at once, and what it sends from time to time. */
export interface Manner {
  readonly name: string;
  readonly chunked?: boolean;
  readonly first: string;
  readonly drop: string;
}

export const MANNERS: readonly Manner[] = [
  { name: 'send their headers alone', first: '', drop: '' },
  { name: 'send one byte', first: '[', drop: '' },
  { name: 'drip', first: '[', drop: ' ' },
  { name: 'send chunks without end', chunked: true, first: '[', drop: '  ' },
];

export interface Crowd {
  /** Each stranger that still can sends what it sends from time to time. */
  drip(): Promise<void>;
}

export type Gather = (port: number, count: number, manner: Manner) => Promise<Crowd>;

/** Well-formed headers of somebody who does not know the secret. */
const FORGED = headersOf({ ...genuine(), signature: '0'.repeat(64) });

const LENGTH = 1_000_000;

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

const settled = (write: (done: () => void) => void) => new Promise<void>((resolve) => write(() => resolve()));

/** Strangers on a connection each, over HTTP/1. */
export const overHttp1: Gather = async (port, count, { chunked, first, drop }) => {
  const size = chunked ? (['Transfer-Encoding', 'chunked'] as const) : (['Content-Length', String(LENGTH)] as const);
  const start = head([...FORGED, size]);
  const frame = (text: string) => (chunked && text !== '' ? chunk(text) : text);
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.resume().write(Buffer.concat([start, Buffer.from(frame(first))]));
    sockets.push(socket);
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    async drip() {
      const open = drop === '' ? [] : sockets.filter(({ writable }) => writable);
      await Promise.all(open.map((socket) => settled((done) => socket.write(frame(drop), done))));
    },
  };
};

function openStream(session: ClientHttp2Session, chunked: boolean | undefined) {
  const fields = [...FORGED, ...(chunked ? [] : [['Content-Length', String(LENGTH)]])];
  const headers = Object.fromEntries(fields.map(([name = '', value]) => [name.toLowerCase(), value]));
  const stream = session.request({ ':method': 'POST', ':path': '/webhooks', ...headers });
  return stream.on('error', () => {}).resume();
}

export async function session(port: number): Promise<ClientHttp2Session> {
  const client = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {});
  onTestFinished(() => client.destroy());
  await once(client, 'remoteSettings');
  return client;
}

/** Strangers over HTTP/2, so many a connection. */
export const overHttp2 =
  (streamsEach: number): Gather =>
  async (port, count, { chunked, first, drop }) => {
    const streams: ReturnType<typeof openStream>[] = [];
    while (streams.length < count) {
      const client = await session(port);
      for (let at = 0; at < streamsEach && streams.length < count; at++) {
        const stream = openStream(client, chunked);
        if (first !== '') stream.write(first);
        streams.push(stream);
      }
    }
    return {
      async drip() {
        if (drop === '') return;
        for (const stream of streams) if (stream.writable && !stream.destroyed) stream.write(drop);
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  };

/** The status of a delivery on a connection of its own. */
export const statusOverHttp1 = async (port: number, delivery: SignedDelivery): Promise<number | undefined> =>
  (await answerTo(port, framed(delivery)))?.status;

export async function statusOverHttp2(
  port: number,
  delivery: SignedDelivery,
  meanwhile?: () => Promise<unknown>,
): Promise<number | undefined> {
  const client = await session(port);
  const headers = Object.fromEntries(headersOf(delivery).map(([name, value]) => [name.toLowerCase(), value]));
  const stream = client.request({ ':method': 'POST', ':path': '/webhooks', ...headers });
  stream.write(delivery.body.slice(0, 10));
  await meanwhile?.();
  stream.end(delivery.body.slice(10));
  const [answer] = await once(stream, 'response');
  client.close();
  return answer[':status'];
}
