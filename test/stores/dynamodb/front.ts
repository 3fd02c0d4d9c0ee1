import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A request to DynamoDB. */
export interface Asked {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  readonly body: string;
}

/**
 * What happens to a request: it is passed on; answered with an error in place of DynamoDB; passed on, and its answer cut off
 * or kept back; or kept back itself until the promise resolves.
 */
export type Fault = 'cut' | 'mute' | { readonly error: string } | { readonly until: Promise<unknown> } | undefined;

/** An HTTP front before DynamoDB Local that fails as networks and AWS do. */
export interface Front {
  readonly url: string;
  /** All requests, in the order of their arrival. */
  readonly asked: readonly Asked[];
  /** Decides about each request from now on. */
  onRequest(decide: (asked: Asked) => Fault): void;
  /** Refuses connections, and breaks those that are open. */
  begin(): Promise<void>;
  end(): Promise<void>;
  stop(): Promise<void>;
}

const NEVER = new Promise<never>(() => {});

export async function startFront(target: string): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  const asked: Asked[] = [];
  let decide: (asked: Asked) => Fault = () => undefined;

  async function pass(incoming: IncomingMessage, body: Buffer): Promise<[IncomingMessage, Buffer]> {
    const { method = 'POST', url = '/', headers } = incoming;
    const outgoing = request(new URL(url, target), { method, headers, agent }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return [answer, await read(answer)];
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(incoming);
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const each = { operation, body: String(body) };
    asked.push(each);
    const fault = decide(each);
    if (typeof fault === 'object' && 'error' in fault) {
      const __type = `com.amazonaws.dynamodb.v20120810#${fault.error}`;
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type, message: 'from the front' }));
      return;
    }
    if (typeof fault === 'object') await fault.until;
    const [answer, bytes] = await pass(incoming, body);
    if (fault === 'cut') incoming.socket.destroy();
    else if (fault === 'mute') await NEVER;
    else response.writeHead(answer.statusCode ?? 500, answer.headers).end(bytes);
  }

  const listen = async (port: number) => {
    const listening = createServer((incoming, response) => {
      handle(incoming, response).catch(() => response.destroy());
    }).listen(port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  };
  let server = await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The front listens on no port.');
  const begin = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    onRequest(next) {
      decide = next;
    },
    begin,
    async end() {
      server = await listen(address.port);
    },
    async stop() {
      if (server.listening) await begin();
      agent.destroy();
    },
  };
}

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
