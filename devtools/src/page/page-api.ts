import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { type Detail, type SummaryContext, summaryOf } from '../deliveries/views.js';
import { isRecord } from '../guards.js';
import { PageError } from './page-guard.js';
import type { Streams } from './page-streams.js';

/** Actions of the page. A missing action is answered 404. Actions may throw errors with `status` and `message`. */
export interface PageActions {
  /** Resends a delivery. Resolves with the id under which it continues. */
  resend?(record: KeptDelivery): { id: string } | Promise<{ id: string }>;
  /** Registers a webhook. The response, including the secret, is sent once. */
  register?(webhook: { label: string; url: string }): object | Promise<object>;
  /** Removes a webhook. Resolves with whether it existed. */
  remove?(id: number): boolean | Promise<boolean>;
  setFaults?(faults: Record<string, unknown>): object | Promise<object>;
  sample?(): object | Promise<object>;
}

export interface PageApiOptions {
  readonly feed: Feed;
  readonly streams: Streams;
  readonly actions: PageActions;
  readonly state: () => object;
  readonly context: () => SummaryContext;
  readonly detail: (record: KeptDelivery) => Promise<Detail>;
}

const MOST_BYTES = 64 * 1024;

/** Serves the calls under /api. Throws PageError for any other call. */
export function createPageApi({ feed, streams, actions, state, context, detail }: PageApiOptions) {
  const found = (id: string) => feed.get(id) ?? fail(404, 'The delivery does not exist, or is no longer kept.');

  const routes: Record<string, (id: string, request: IncomingMessage) => unknown> = {
    'GET /api/state': state,
    'GET /api/deliveries': () => {
      const about = context();
      const deliveries = feed.list().map((record) => summaryOf(record, about));
      return { deliveries, lastId: deliveries.at(-1)?.id };
    },
    'DELETE /api/deliveries': () => {
      feed.clear();
      return {};
    },
    'GET /api/deliveries/:id': (id) => detail(found(id)),
    'POST /api/deliveries/:id/resend': (id) => (actions.resend ?? absent())(found(id)),
    'POST /api/webhooks': async (_id, request) => {
      const register = actions.register ?? absent();
      const { label, url } = await bodyOf(request);
      if (typeof label !== 'string' || typeof url !== 'string') return fail(400, 'label and url must be strings.');
      return changed(await register({ label, url }));
    },
    'DELETE /api/webhooks/:id': async (id) => {
      const remove = actions.remove ?? absent();
      if (!/^\d{1,15}$/.test(id) || !(await remove(Number(id)))) return fail(404, 'The webhook does not exist.');
      return changed({});
    },
    'PUT /api/faults': async (_id, request) => changed(await (actions.setFaults ?? absent())(await bodyOf(request))),
    'POST /api/sample': () => (actions.sample ?? absent())(),
  };

  function changed(result: object): object {
    streams.stateChanged();
    return result;
  }

  return async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const [, kind = '', id, rest = ''] = /^(\/api\/[a-z]+)(?:\/([^/]+))?((?:\/[a-z]+)?)$/.exec(path) ?? [];
    const pattern = id === undefined ? kind : `${kind}/:id${rest}`;
    if (pattern === '/api/stream' && request.method === 'GET') return streams.open(response);
    const route = routes[`${request.method} ${pattern}`];
    if (route === undefined) return fail(404, 'Unknown API call.');
    const result = await route(id ?? '', request);
    const text = JSON.stringify(result);
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' }).end(text);
  };
}

/** The body as a JSON object. The rest of a body that is too large is read and discarded, so that its sender gets the response. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
      else reject(new PageError(413, `The body is larger than ${MOST_BYTES} bytes.`));
    });
    request.on('end', resolve).on('close', () => reject(new PageError(400, 'The body did not arrive in full.')));
  });
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (isRecord(value)) return value;
  } catch {
    // The parser's own message quotes the body.
  }
  return fail(400, 'The body is not a JSON object.');
}

function absent(): never {
  return fail(404, 'This command does not support that.');
}

function fail(status: number, message: string): never {
  throw new PageError(status, message);
}
