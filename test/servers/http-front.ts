import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request to a server. */
export interface Asked {
  /** Of DynamoDB, such as `UpdateItem`; otherwise the path. */
  readonly operation: string;
  readonly body: string;
}

/**
 * What happens to a request: it is passed on; answered in place of the server; cut off before it is passed on; passed on,
 * and its answer cut off, kept back, or damaged so that it ends too early, with or without its length; or kept back itself
 * until the promise resolves.
 */
export type Fault =
  | 'cut before'
  | 'cut'
  | 'mute'
  | 'truncated'
  | 'half'
  | { readonly status: number; readonly body: string }
  | { readonly until: Promise<unknown> }
  | undefined;

/** An HTTP front before a server that fails as networks and proxies do. */
export type Front = Awaited<ReturnType<typeof startFront>>;

const NEVER = new Promise<never>(() => {});

export async function startFront(target: string) {
  const agent = new Agent({ keepAlive: true });
  /** All requests, in the order of their arrival. */
  const asked: Asked[] = [];
  let decide: (asked: Asked) => Fault = () => undefined;

  async function pass(incoming: IncomingMessage, body: Buffer): Promise<[IncomingMessage, Buffer]> {
    const { method = 'POST', url = '/', headers } = incoming;
    const outgoing = request(new URL(url, target), { method, headers, agent }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return [answer, await buffer(answer)];
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const [, operation = incoming.url ?? ''] = String(incoming.headers['x-amz-target']).split('.');
    const each = { operation, body: String(body) };
    asked.push(each);
    const fault = decide(each);
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (typeof fault === 'object' && 'status' in fault) return void response.writeHead(fault.status).end(fault.body);
    if (typeof fault === 'object') await fault.until;
    const [{ statusCode = 500, headers: given }, bytes] = await pass(incoming, body);
    const { 'transfer-encoding': _, ...headers } = given;
    if (fault === 'mute') await NEVER;
    if (fault === 'cut') return void incoming.socket.destroy();
    if (fault === 'truncated') {
      response.writeHead(statusCode, { ...headers, 'content-length': bytes.length }).write(bytes.subarray(0, -3));
      await sleep(10);
      return void incoming.socket.destroy();
    }
    const sent = fault === 'half' ? bytes.subarray(0, bytes.length / 2) : bytes;
    response.writeHead(statusCode, { ...headers, 'content-length': sent.length }).end(sent);
  }

  const listen = async (port: number) => {
    const listening = createServer((incoming, response) => {
      handle(incoming, response).catch(() => response.destroy());
    }).listen(port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  };
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  /** Refuses connections, and breaks those that are open. */
  const begin = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };

  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    /** Decides about each request from now on. */
    onRequest(next: typeof decide) {
      decide = next;
    },
    begin,
    async end() {
      server = await listen(port);
    },
    async stop() {
      if (server.listening) await begin();
      agent.destroy();
    },
  };
}
