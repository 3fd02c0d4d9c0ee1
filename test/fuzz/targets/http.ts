import { createServer, type RequestListener, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import express from 'express';
import Fastify from 'fastify';
import { expressHandler } from '../../../src/adapters/express.js';
import { fastifyPlugin } from '../../../src/adapters/fastify.js';
import { nodeHandler } from '../../../src/adapters/node.js';
import { Authentic, EVENT } from '../authentic.js';
import { check, partsOf, type Target } from '../target.js';

/** Ours, and those that node:http answers by itself. */
const STATUSES = new Set([200, 400, 403, 405, 413, 415, 422, 503].concat([408, 417, 431, 501, 505]));
/** Turns of the event loop in which a request is answered, and in which a broken one is given up. */
const TURNS = 12;
const PROBE_EVERY = 64;

/** The server's side of a connection. */
class Connection extends Duplex {
  #received = '';

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#received += chunk.toString('latin1');
    done();
  }

  get received(): string {
    return this.#received;
  }
}

const authentic = new Authentic();
let servers: readonly Server[] = [];
let runs = 0;

async function setup(): Promise<void> {
  const { receiver } = authentic;
  const app = Fastify();
  await app.register(fastifyPlugin(receiver), { prefix: '/' }).ready();
  const failing: express.ErrorRequestHandler = (_error, _request, response, _next) => void response.status(599).end();
  const listeners: RequestListener[] = [
    nodeHandler(receiver),
    express().use(expressHandler(receiver), failing) as RequestListener,
    (request, response) => app.routing(request, response),
  ];
  servers = listeners.map((listener) => createServer({ keepAliveTimeout: 0 }, listener));
}

/** What a server answers to bytes on one connection; `\x01` is where one packet ends and the next begins. */
async function exchange(server: Server, text: string): Promise<string> {
  const connection = new Connection();
  connection.on('error', () => {});
  server.emit('connection', connection);
  for (const packet of text.split('\x01')) {
    if (!connection.destroyed) connection.push(Buffer.from(packet, 'latin1'));
    await setImmediate();
  }
  for (let turn = 0; turn < TURNS && !connection.destroyed; turn++) {
    if (turn === TURNS - 4) connection.push(null);
    await setImmediate();
  }
  connection.destroy();
  await setImmediate();
  return connection.received;
}

/** The statuses of answers that have an allowed status and no body each. */
function checkAnswers(received: string, hostAnswers: ReadonlySet<number>): number[] {
  const statuses: number[] = [];
  for (let rest = received; rest !== ''; ) {
    const [head, line] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? [];
    if (head === undefined) {
      // The body of an answer of the host.
      check(hostAnswers.has(statuses.at(-1) ?? 0), 'an answer has no body');
      rest = rest.includes('HTTP/1.1 ', 1) ? rest.slice(rest.indexOf('HTTP/1.1 ', 1)) : '';
      continue;
    }
    const status = Number(line);
    check(status < 200 || STATUSES.has(status) || hostAnswers.has(status), `${status} is not a status of an answer`);
    if (status >= 200) statuses.push(status);
    rest = rest.slice(head.length).replace(/^0\r\n\r\n/, '');
  }
  return statuses;
}

/** Fastify answers for other paths, and for what its own parser refuses. */
const OF_HOST = [new Set<number>(), new Set<number>(), new Set([400, 404, 414])];

const names = 'X-Service-Signature: {sig}\r\nX-Service-Timestamp: {time}';
const genuine = `POST / HTTP/1.1\r\nHost: a\r\n${names}\r\nContent-Length: {length}\r\n\r\n{body}`;
const chunked = `POST / HTTP/1.1\r\nHost: a\r\n${names}\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n`;

/** A digit for the server, the body that is signed, and what comes on the connection. */
export const target: Target = {
  seeds: [
    ...[0, 1, 2].flatMap((server) => [`${server}\n[${EVENT}]\n${genuine}`, `${server}\n[]\n${chunked}${genuine}`]),
    `0\n[${EVENT}]\n${genuine.replace('{body}', '{split}')}`,
    `1\n[${EVENT}]\n${genuine.replace('POST', 'GET').replace('Host', 'Expect: 100-continue\r\nHost')}`,
    `2\n[${EVENT}]\n${chunked.replace('0\r\n\r\n', '5\r\nab\x01cde\r\n0\r\nTrailer: x\r\n\r\n')}`,
  ],
  dictionary: [
    ...'{sig} {time} {body} {length} {chunk} {split} HTTP/1.0 OPTIONS HEAD CONNECT'.split(' '),
    '\r\n',
    '\x01',
    ': ',
    'Content-Encoding: gzip',
    'Content-Length: ',
    'Transfer-Encoding: chunked',
    'Connection: close',
    'Upgrade: h2c',
    'Expect: 100-continue',
    'Content-Type: a',
    '0\r\n\r\n',
  ],
  mostMs: 2000,
  setup,
  async run(input) {
    const [digit, body = input, stream = input] = partsOf(input, 3);
    const at = (digit?.[0] ?? 0) % servers.length;
    const server = servers[at] as Server;
    const received = await exchange(server, authentic.begin(stream.toString('latin1'), body));
    const handled = authentic.end();
    const statuses = checkAnswers(received, OF_HOST[at] ?? new Set());
    // What was handled took effect, whether or not its sender still waits for the answer.
    const isRefused = statuses.length > 0 && statuses.every((status) => status === 403);
    check(!isRefused || handled.length === 0, 'a refused delivery is not handled');
    if (++runs % PROBE_EVERY > 0) return;
    const probe = await exchange(server, authentic.begin(genuine, Buffer.from(`[${EVENT}]`)));
    check(
      probe.startsWith('HTTP/1.1 200 ') && authentic.end().length === 1,
      'a genuine delivery is accepted afterwards',
    );
  },
};
