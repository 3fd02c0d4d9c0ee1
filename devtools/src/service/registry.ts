import { randomBytes } from 'node:crypto';
import type { Entry } from './entry.js';
import { checkFields, type RegistrationFields } from './registration.js';
import { ServiceError } from './service-error.js';
import type { State } from './state.js';
import { EVENT_KINDS, type WebhookInfo, type WebhookWithSecret, webhookInfo, withSecret } from './webhook.js';

/** More webhooks than a program that is being written needs. Each has one delivery under way at most. */
const MAX_WEBHOOKS = 100;

/** Who is registered. Every refusal is a ServiceError that says which field, and why. */
export interface Registry {
  register(fields: unknown): WebhookWithSecret;
  /** Changes the fields that are given. */
  update(id: number, fields: unknown): WebhookWithSecret;
  /** Whether there was one. */
  remove(id: number): boolean;
  /** The record, or a refusal with 404. */
  get(id: number): WebhookWithSecret;
  list(): WebhookInfo[];
}

export function createRegistry(state: State, commit: (entry: Entry) => unknown, now: () => number): Registry {
  const records = () => [...state.webhooks.values()].map(({ record }) => record);
  const time = () => new Date(now()).toISOString();

  function get(id: number): WebhookWithSecret {
    const webhook = state.webhooks.get(id);
    if (webhook === undefined) throw new ServiceError(404, 'There is no webhook with this id.');
    return webhook.record;
  }

  /** A label is what people tell webhooks apart by, and what finds one again. */
  function checkUnique({ label }: RegistrationFields, except?: number): void {
    if (label !== undefined && records().some((record) => record.label === label && record.id !== except)) {
      throw new ServiceError(
        409,
        'There is a webhook with this label already: choose another label, or update that one.',
      );
    }
  }

  return {
    register(fields) {
      const { label, url, subscriptions = EVENT_KINDS } = checkFields(fields);
      if (label === undefined) throw new ServiceError(400, 'Field label is missing.');
      if (url === undefined) throw new ServiceError(400, 'Field url is missing.');
      checkUnique({ label });
      if (state.webhooks.size >= MAX_WEBHOOKS) {
        throw new ServiceError(409, `There are ${MAX_WEBHOOKS} webhooks already: delete one first.`);
      }
      const id = state.next.webhook;
      const secret = randomBytes(32).toString('hex');
      const times = { createdAt: time(), updatedAt: time() };
      const webhook = { id, url, label, subscriptions: [...subscriptions], secret, ...times, failedCalls: 0 };
      commit({ type: 'webhook', webhook });
      return withSecret(webhook);
    },
    update(id, given) {
      const record = get(id);
      const fields = checkFields(given);
      const { label = record.label, url = record.url, subscriptions = record.subscriptions } = fields;
      if (Object.values(fields).every((field) => field === undefined)) {
        throw new ServiceError(400, 'The body must hold one of the fields label, url and subscriptions.');
      }
      checkUnique(fields, id);
      const webhook = { ...record, label, url, subscriptions: [...subscriptions], updatedAt: time() };
      commit({ type: 'webhook', webhook });
      return withSecret(webhook);
    },
    remove(id) {
      if (!state.webhooks.has(id)) return false;
      commit({ type: 'removed', id });
      return true;
    },
    get,
    list: () => records().map(webhookInfo),
  };
}
