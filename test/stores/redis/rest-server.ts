import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Redis } from 'ioredis';

const TOKEN = 'upstash-test';

/** Starts the REST interface that Upstash has, before the Redis at `port` of this machine. */
export async function startRestServer(port: number) {
  // It fails as soon as its Redis does, and is there again when that is.
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0, retryStrategy: () => 20 });
  redis.on('error', () => {});

  async function run(command: readonly unknown[]): Promise<object> {
    const [name = '', ...args] = command.map(String);
    try {
      return { result: await redis.call(name, ...args) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return void response.writeHead(401).end(JSON.stringify({ error: 'Unauthorized' }));
    }
    const body = (await json(request)) as unknown[];
    // Others are pipelines.
    const answers: object = request.url === '/' ? await run(body) : await Promise.all((body as unknown[][]).map(run));
    const isEncoded = request.headers['upstash-encoding'] === 'base64';
    const text = JSON.stringify(answers, (key, value) => (isEncoded && key !== 'error' ? encoded(value) : value));
    response.writeHead('error' in answers ? 400 : 200).end(text);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: TOKEN,
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
