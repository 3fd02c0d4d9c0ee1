import { HttpError } from '../http.js';
import { logPage } from './delivery-log.js';
import type { Registry } from './registry.js';
import type { State, WebhookState } from './state.js';
import { type CreatedWebhook, withoutSecret } from './webhook.js';

/** An authorised call of the API. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Reads the JSON body. */
  body(): Promise<unknown>;
}

/** Resolves with the result of a call; undefined when the response has no result. */
export type Api = (call: ApiCall) => Promise<unknown>;

type Handler = (call: ApiCall, id: number) => unknown;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const BASE = '/api/v0/webhooks';
const PATHS = /^\/api\/v0\/webhooks(|\/.*)$/;
const ID = /^\/(?!count$)([^/]+)/;

/** The registration API of the specification, with the additions of the live service. Throws HttpError. */
export function createApi(state: State, registry: Registry, secretInRecords: boolean): Api {
  const shown = (webhook: CreatedWebhook) => (secretInRecords ? webhook : withoutSecret(webhook));

  function webhookOf(id: number) {
    // Throws if the id does not exist.
    registry.get(id);
    return state.webhooks.get(id) as WebhookState;
  }

  /** By method and path; `:id` is the id of a webhook. */
  const routes: Readonly<Record<string, Handler>> = {
    'GET ': ({ query }) => {
      const { limit, offset } = page(query);
      return [...state.webhooks.values()].slice(offset, offset + limit).map(({ record }) => shown(record));
    },
    'POST ': async ({ body }) => registry.register(await body()),
    'GET /count': () => state.webhooks.size,
    'GET /:id': (_call, id) => shown(registry.get(id)),
    async 'PUT /:id'({ body }, id) {
      registry.get(id);
      return shown(registry.update(id, await body()));
    },
    'DELETE /:id'(_call, id) {
      if (!registry.remove(id)) registry.get(id);
    },
    'GET /:id/events'({ query }, id) {
      const { limit, offset } = page(query);
      return logPage(webhookOf(id), offset, limit);
    },
    'GET /:id/events/count': (_call, id) => webhookOf(id).events,
  };

  return async (call) => {
    const [, rest = '/no/such/path'] = PATHS.exec(call.path) ?? [];
    const [, id] = ID.exec(rest) ?? [];
    const path = rest.replace(ID, '/:id');
    const handler = routes[`${call.method} ${path}`];
    if (handler) return handler(call, id === undefined ? 0 : idOf(id));
    const methods = Object.keys(routes).filter((route) => route.endsWith(` ${path}`));
    if (methods.length === 0) throw new HttpError(404, `This path does not exist. Webhooks are at ${BASE}.`);
    const Allow = methods.map((route) => route.slice(0, route.indexOf(' '))).join(', ');
    throw new HttpError(405, `This path accepts ${Allow}.`, { Allow });
  };
}

function idOf(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new HttpError(400, 'The id of a webhook must be a whole number, such as 1.');
}

function page(query: URLSearchParams): { limit: number; offset: number } {
  return {
    limit: whole(query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT),
    offset: whole(query, 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
  };
}

function whole(query: URLSearchParams, name: string, preset: number, min: number, max: number): number {
  const given = query.getAll(name);
  if (given.length === 0) return preset;
  const [text = ''] = given;
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (given.length === 1 && value >= min && value <= max) return value;
  throw new HttpError(400, `Parameter ${name} must be a whole number from ${min} to ${max}, given once.`);
}
