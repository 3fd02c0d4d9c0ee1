import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Explainer } from '../confined/explainer.js';
import { whyOf } from '../deliveries/causes.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { type FindingSources, NOT_DECODED } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { createSearch } from '../deliveries/search.js';
import { type Detail, detailOf, summaryOf } from '../deliveries/views.js';
import { isRecord } from '../guards.js';
import { answerJson, HttpError, readJson } from '../http.js';
import type { PageActions } from './page-actions.js';
import type { Streams } from './page-streams.js';
import type { Recordings } from './recordings.js';

export interface PageApiOptions {
  readonly feed: Feed;
  readonly streams: Streams;
  readonly actions: PageActions;
  readonly recordings: Recordings;
  readonly state: () => object;
  readonly contracts: () => KnownContracts;
  readonly sources: FindingSources;
  /** Reads the untrusted bytes of the open delivery in its thread. */
  readonly explainer: Explainer['first'];
}

/** The largest body of a delivery to send, in bytes: as much as receivers accept. */
const MOST_SENT = 10 * 1024 * 1024;
/** The largest request with such a body in base64. */
const MOST_REQUESTED = Math.ceil(MOST_SENT / 3) * 4 + 1024;
/** The longest list of ids to export, in bytes. */
const MOST_IDS = 1024 * 1024;
/** The longest text to search for, in characters. */
const MOST_SEARCHED = 1000;

/** A call of the API. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** The part of the path that names a delivery or a webhook. */
  readonly id: string;
}

/** Resolves with the JSON to answer; undefined when it has answered itself. */
type Route = (call: Call) => unknown;

/** Serves the calls under /api. Throws HttpError for any other call. */
export function createPageApi(options: PageApiOptions) {
  const { feed, streams, actions, recordings, state, contracts, sources, explainer } = options;
  const found = (id: string) => feed.get(id) ?? fail(404, 'The delivery does not exist, or is no longer kept.');

  const search = createSearch({ feed, contracts });

  async function detail(record: KeptDelivery): Promise<Detail> {
    const known = contracts();
    const why = whyOf(record, sources, explainer.explain);
    const [{ findings }, viewed] = await Promise.all([why, explainer.view(record.rawBody, known)]);
    if (viewed === undefined) return detailOf(record, { findings: [...findings, NOT_DECODED], items: [] }, known);
    const { contents, items } = viewed;
    if (record.verified === false) feed.describe(record.id, contents);
    const whole = { ...record, contents: record.bodyDropped ? record.contents : contents };
    return detailOf(whole, { findings, items }, known);
  }

  /** The views of the items from an index on. */
  async function items(record: KeptDelivery, from: number) {
    if (record.bodyDropped) return fail(409, 'The body is no longer kept.');
    const viewed = await explainer.view(record.rawBody, contracts(), from);
    return { items: (viewed ?? fail(503, NOT_DECODED.what)).items };
  }

  const routes: Record<string, Route> = {
    'GET /api/stream': ({ response }) => streams.open(response),
    'GET /api/state': state,
    'GET /api/deliveries': () => {
      const known = contracts();
      return { deliveries: feed.list().map((record) => summaryOf(record, known)) };
    },
    'DELETE /api/deliveries': () => {
      feed.clear();
      return {};
    },
    'GET /api/search': ({ query }) => {
      const text = query.get('text') ?? '';
      if (text === '' || text.length > MOST_SEARCHED)
        return fail(400, `text must have 1 to ${MOST_SEARCHED} characters.`);
      return search(text);
    },
    'GET /api/deliveries/:id': ({ id }) => detail(found(id)),
    'GET /api/deliveries/:id/items': ({ id, query }) => {
      const from = query.get('from') ?? '';
      if (!/^\d{1,9}$/.test(from)) return fail(400, 'from must be a whole number.');
      return items(found(id), Number(from));
    },
    'POST /api/deliveries/:id/resend': (call) => (actions.resend ?? absent())(found(call.id)),
    'POST /api/deliveries/:id/edit': async (call) => {
      const [send, from] = [actions.send ?? absent(), found(call.id)];
      return send({ rawBody: await bodyToSend(call.request), from });
    },
    'POST /api/recordings': ({ request }) => recordings.add(request),
    'POST /api/recording': async ({ request, response }) => {
      const { ids } = await jsonBody(request, MOST_IDS);
      if (ids !== undefined && !Array.isArray(ids)) return fail(400, 'ids must be an array.');
      return recordings.write(response, ids && new Set(ids));
    },
    'POST /api/webhooks': async ({ request }) => {
      const register = actions.register ?? absent();
      const { label, url } = await jsonBody(request);
      if (typeof label !== 'string' || typeof url !== 'string') return fail(400, 'label and url must be strings.');
      return changed(await register({ label, url }));
    },
    'DELETE /api/webhooks/:id': async ({ id }) => {
      const remove = actions.remove ?? absent();
      if (!(await remove(webhookId(id)))) return fail(404, NO_WEBHOOK);
      return changed({});
    },
    'POST /api/webhooks/:id/retry': async ({ id }) => {
      const retry = actions.retry ?? absent();
      return changed((await retry(webhookId(id))) ?? fail(409, 'No delivery holds back this webhook now.'));
    },
    'PUT /api/faults': async ({ request }) => changed(await (actions.setFaults ?? absent())(await jsonBody(request))),
    'PUT /api/respond': async ({ request }) => {
      const respond = actions.respond ?? absent();
      const { status } = await jsonBody(request);
      const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599;
      if (status !== null && !isStatus) return fail(400, 'status must be an HTTP status from 200 to 599, or null.');
      respond(status === null ? undefined : Number(status));
      return changed({});
    },
    'POST /api/sample': () => (actions.sample ?? absent())(),
  };

  function changed(result: object): object {
    streams.stateChanged();
    return result;
  }

  return async (request: IncomingMessage, response: ServerResponse, path: string, query?: string): Promise<void> => {
    const [, kind = '', id, rest = ''] = /^(\/api\/[a-z]+)(?:\/([^/]+))?((?:\/[a-z]+)?)$/.exec(path) ?? [];
    const pattern = id === undefined ? kind : `${kind}/:id${rest}`;
    const route = routes[`${request.method} ${pattern}`] ?? fail(404, 'Unknown API call.');
    const result = await route({ request, response, query: new URLSearchParams(query), id: id ?? '' });
    if (result === undefined) return;
    answerJson(request, response, result as object);
  };
}

const NO_WEBHOOK = 'The webhook does not exist.';

function webhookId(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : fail(404, NO_WEBHOOK);
}

function absent(): never {
  return fail(404, 'This command does not support that.');
}

function fail(status: number, message: string): never {
  throw new HttpError(status, message);
}

/** The body as a JSON object. */
async function jsonBody(request: IncomingMessage, mostBytes?: number): Promise<Record<string, unknown>> {
  const value = await readJson(request, mostBytes);
  return isRecord(value) ? value : fail(400, 'The body is not a JSON object.');
}

/** The body of a delivery to send, from the base64 in a request. */
async function bodyToSend(request: IncomingMessage): Promise<Uint8Array> {
  const { bodyBase64 } = await jsonBody(request, MOST_REQUESTED);
  const rawBody = Buffer.from(String(bodyBase64), 'base64');
  // Buffer skips characters outside base64.
  if (rawBody.toString('base64') !== bodyBase64) fail(400, 'bodyBase64 is not base64.');
  if (rawBody.byteLength === 0) fail(400, 'The delivery has no body.');
  if (rawBody.byteLength > MOST_SENT) fail(413, 'The delivery is larger than 10 MiB.');
  return rawBody;
}
