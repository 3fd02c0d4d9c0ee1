import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const apiKey = 'key-of-the-test';

/** A request as it came. */
export interface Seen {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Entry {
  id: number;
  eventType: string;
  data: unknown;
  createdAt: string;
  deliveredAt?: string;
}

export type Answer = (response: ServerResponse, seen: Seen) => void;

/** The registration API as the live service documents it, with what a test needs to make it misbehave. */
export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

/** Answers with a value as JSON. */
export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

/** Answers with a text as it is. */
export const text =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);

export async function startFakeService() {
  const webhooks = new Map<number, Record<string, unknown>>();
  let ids = 0;
  const seen: Seen[] = [];
  /** Delivery logs by the id of their webhook, in the order in which they are served. */
  const logs = new Map<number, Entry[]>();
  /** What the next requests are answered with, one each, in place of the API. */
  const next: Answer[] = [];

  const page = (items: readonly unknown[], query: URLSearchParams) => {
    const offset = Number(query.get('offset') ?? 0);
    return items.slice(offset, offset + Number(query.get('limit') ?? 10));
  };

  function answer({ method, path, headers, body }: Seen): [status: number, message: string, result?: unknown] {
    if (headers.authorization !== `Bearer ${apiKey}`) return [401, 'unauthorized'];
    const url = new URL(path, 'http://localhost');
    const [, id, more] = /^\/api\/v0\/webhooks(?:\/(\d+))?(\/.+)?$/.exec(url.pathname) ?? [];
    const ok = (result: unknown): [number, string, unknown] => [200, 'Success', result];
    if (url.pathname === '/api/v0/webhooks/count') return ok(webhooks.size);
    if (url.pathname === '/api/v0/webhooks' && method === 'GET') {
      return ok(page([...webhooks.values()], url.searchParams));
    }
    const given = body as { url?: unknown; label?: unknown } | undefined;
    if (url.pathname === '/api/v0/webhooks' && method === 'POST') {
      if (typeof given?.url !== 'string' || typeof given.label !== 'string') return [400, 'url and label are required'];
      const createdAt = new Date(1_700_000_000_000).toISOString();
      const made = { id: ++ids, ...given, createdAt, updatedAt: createdAt, failedCalls: 0 };
      webhooks.set(ids, { ...made, secret: `secret-of-${ids}` });
      return ok({ ...made, secret: `secret-of-${ids}` });
    }
    const webhook = webhooks.get(Number(id));
    if (webhook === undefined) return [404, 'webhook not found'];
    const log = logs.get(Number(id)) ?? [];
    if (more === '/events') return ok(page(log, url.searchParams));
    if (more === '/events/count') return ok(log.length);
    if (method === 'GET') return ok(webhook);
    if (method === 'PUT') return ok(Object.assign(webhook, given));
    webhooks.delete(Number(id));
    return [200, 'Success'];
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const each = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    seen.push(each);
    const instead = next.shift();
    if (instead !== undefined) return instead(response, each);
    const [status, message, result] = answer(each);
    json(status, { status, message, ...(result === undefined ? {} : { result }) })(response, each);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    seen,
    logs,
    next,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
