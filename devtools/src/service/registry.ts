import { randomBytes } from 'node:crypto';
import type { Change } from './change.js';
import { checkFields, type WebhookFields } from './registration.js';
import { ServiceError } from './service-error.js';
import type { State } from './state.js';
import { type CreatedWebhook, EVENT_KINDS, type Webhook, withoutSecret, withSecret } from './webhook.js';

/** Maximum number of webhooks. Each has at most one delivery in flight. */
const MAX_WEBHOOKS = 100;

/** The registered webhooks. Throws ServiceError with the field and the reason. */
export interface Registry {
  register(fields: unknown): CreatedWebhook;
  /** Changes the given fields. */
  update(id: number, fields: unknown): CreatedWebhook;
  /** Returns whether the webhook existed. */
  remove(id: number): boolean;
  /** The webhook; throws a ServiceError of status 404 when it does not exist. */
  get(id: number): CreatedWebhook;
  list(): Webhook[];
}

export function createRegistry(state: State, commit: (change: Change) => unknown, now: () => number): Registry {
  const records = () => [...state.webhooks.values()].map(({ record }) => record);
  const time = () => new Date(now()).toISOString();

  function get(id: number): CreatedWebhook {
    const webhook = state.webhooks.get(id);
    if (webhook === undefined) throw new ServiceError(404, 'No webhook has this id.');
    return webhook.record;
  }

  /** Labels are unique, because people identify webhooks by them. */
  function checkUnique({ label }: WebhookFields, except?: number): void {
    if (label !== undefined && records().some((record) => record.label === label && record.id !== except)) {
      throw new ServiceError(
        409,
        'Another webhook already has this label. Choose another label, or update that webhook.',
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
        throw new ServiceError(409, `There are already ${MAX_WEBHOOKS} webhooks. Delete one first.`);
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
        throw new ServiceError(400, 'The body must contain at least one of the fields label, url and subscriptions.');
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
    list: () => records().map(withoutSecret),
  };
}
