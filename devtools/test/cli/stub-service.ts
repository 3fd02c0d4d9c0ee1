import { serve } from '../servers.js';
import { OTHER_SECRET } from './tool.js';

/** A call that the service was asked for. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly key: string | undefined;
  readonly body: unknown;
}

/** As much of the service's API as the commands use, with webhooks that a test can look at. */
export async function stubService({ refuse }: { refuse?: { status: number; message: string } } = {}) {
  const calls: Call[] = [];
  const webhooks = new Map<number, Record<string, unknown>>();
  const entries = [
    {
      id: 1,
      eventType: 'event.emitted',
      data: { a: 1 },
      createdAt: '2026-01-01T00:00:00Z',
      deliveredAt: '2026-01-01T00:00:01Z',
    },
    { id: 2, eventType: 'evil\u001b[31m\u202e', data: {}, createdAt: '2026-01-01T00:00:02Z' },
  ];
  const url = await serve(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const path = pathname.replace('/api/v0', '');
    const body = text === '' ? undefined : JSON.parse(text);
    calls.push({ method: request.method ?? '', path, key: request.headers.authorization, body });
    const answer = (status: number, message: string, result?: unknown) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ status, message, result }));
    if (refuse) return answer(refuse.status, refuse.message);
    const page = (list: unknown[]) => {
      const from = Number(searchParams.get('offset') ?? 0);
      return answer(200, 'ok', list.slice(from, from + Number(searchParams.get('limit') ?? 100)));
    };
    const id = Number(/^\/webhooks\/(\d+)/.exec(path)?.[1]);
    if (path === '/webhooks/count') return answer(200, 'ok', webhooks.size);
    if (path === '/webhooks' && request.method === 'GET') return page([...webhooks.values()]);
    if (path === '/webhooks') {
      const webhook = { id: webhooks.size + 1, ...body, secret: OTHER_SECRET, failedCalls: 0 };
      webhooks.set(webhook.id, webhook);
      return answer(200, 'ok', webhook);
    }
    if (!webhooks.has(id)) return answer(404, 'no such webhook\u001b[31m');
    if (path.endsWith('/events')) return page(entries);
    if (request.method === 'DELETE') webhooks.delete(id);
    if (request.method === 'PUT') webhooks.set(id, { ...webhooks.get(id), ...body });
    return answer(200, 'ok', webhooks.get(id));
  });
  return { url, calls, webhooks };
}
