import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Redis } from 'ioredis';

/**
 * What the front does to a request. `cut before` and `cut after`: ends the connection without an answer, before or after the
 * commands ran. `truncated`: the answer ends before its Content-Length. `half JSON`: half an answer that looks complete.
 * `hang`: no answer, after the commands ran. `500`: the page of a proxy in front of it, before the commands ran.
 */
export type RestFault = 'cut before' | 'cut after' | 'truncated' | 'half JSON' | 'hang' | '500';

/** A REST front as Upstash has, before a real Redis. */
export interface RestFront {
  readonly url: string;
  readonly token: string;
  /** The next requests that run a script get a fault each. */
  fail(...faults: readonly RestFault[]): void;
  /** How many scripts were run. */
  readonly scripts: number;
  /** The paths that requests asked for, each once. */
  readonly paths: ReadonlySet<string>;
  stop(): Promise<void>;
}

const TOKEN = 'upstash-test';

/** Starts a front before the Redis at `port` of this machine. */
export async function startRestFront(port: number): Promise<RestFront> {
  // It fails as soon as its Redis does, and is there again when that is.
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0, retryStrategy: () => 20 });
  redis.on('error', () => {});
  const faults: RestFault[] = [];
  const paths = new Set<string>();
  let scripts = 0;

  async function run(command: readonly unknown[]): Promise<object> {
    const [name = '', ...args] = command.map(String);
    if (name.toLowerCase() === 'eval') scripts++;
    try {
      return { result: await redis.call(name, ...args) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401).end(JSON.stringify({ error: 'Unauthorized' }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { pathname } = new URL(request.url ?? '/', 'http://front');
    paths.add(pathname);
    const body = JSON.parse(text) as unknown[];
    const fault = /eval/i.test(text) ? faults.shift() : undefined;
    if (fault === 'cut before') return void request.socket.destroy();
    if (fault === '500') return void response.writeHead(500).end('<h1>Internal Server Error</h1>');
    const answers: object | object[] =
      pathname === '/' ? await run(body) : await Promise.all((body as unknown[][]).map(run));
    if (fault === 'cut after') return void request.socket.destroy();
    if (fault === 'hang') return;
    const isEncoded = request.headers['upstash-encoding'] === 'base64';
    const json = JSON.stringify(answers, (key, value) => (isEncoded && key !== 'error' ? encoded(value) : value));
    const status = 'error' in answers ? 400 : 200;
    if (fault === 'truncated') {
      response.writeHead(status, { 'Content-Length': json.length }).write(json.slice(0, -3));
      await new Promise((resolve) => setTimeout(resolve, 10));
      return void request.socket.destroy();
    }
    response.writeHead(status).end(fault === 'half JSON' ? json.slice(0, json.length / 2) : json);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The front listens on no port.');

  return {
    url: `http://127.0.0.1:${address.port}`,
    token: TOKEN,
    fail: (...next) => void faults.push(...next),
    get scripts() {
      return scripts;
    },
    paths,
    async stop() {
      redis.disconnect();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Every string but OK is in base64, as Upstash has it. */
function encoded(value: unknown): unknown {
  return typeof value === 'string' && value !== 'OK' ? Buffer.from(value).toString('base64') : value;
}
