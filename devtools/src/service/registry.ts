import { randomBytes } from 'node:crypto';
import { isLoopback, isRecord } from '../guards.js';
import { HttpError } from '../http.js';
import type { Change, State } from './state.js';
import { type CreatedWebhook, EVENT_KINDS, type NewWebhook, type Webhook, withoutSecret } from './webhook.js';

/** Maximum number of webhooks. Each has at most one delivery in flight. */
const MAX_WEBHOOKS = 100;
const MAX_LABEL = 200;
const MAX_URL = 2048;

export type Registry = ReturnType<typeof createRegistry>;

/** The registered webhooks. Throws HttpError with the field and the reason. */
export function createRegistry(state: State, commit: (change: Change) => unknown, now: () => number) {
  const records = () => [...state.webhooks.values()].map(({ record }) => record);
  const time = () => new Date(now()).toISOString();

  /** The webhook; throws a HttpError of status 404 when it does not exist. */
  function get(id: number): CreatedWebhook {
    const webhook = state.webhooks.get(id);
    if (webhook === undefined) throw new HttpError(404, 'No webhook has this id.');
    return webhook.record;
  }

  /** Labels are unique, because people identify webhooks by them. */
  function checkUnique({ label }: Partial<NewWebhook>, except?: number): void {
    if (label !== undefined && records().some((record) => record.label === label && record.id !== except)) {
      throw new HttpError(409, 'Another webhook already has this label. Choose another label, or update that webhook.');
    }
  }

  return {
    register(fields: unknown): CreatedWebhook {
      const { label, url, subscriptions = EVENT_KINDS } = checkFields(fields);
      if (label === undefined || url === undefined)
        throw new HttpError(400, `Field ${label === undefined ? 'label' : 'url'} is missing.`);
      checkUnique({ label });
      if (state.webhooks.size >= MAX_WEBHOOKS) {
        throw new HttpError(409, `There are already ${MAX_WEBHOOKS} webhooks. Delete one first.`);
      }
      const id = state.next.webhook;
      const secret = randomBytes(32).toString('hex');
      const times = { createdAt: time(), updatedAt: time() };
      const webhook = { id, url, label, subscriptions: [...subscriptions], secret, ...times, failedCalls: 0 };
      commit({ webhook });
      return webhook;
    },
    /** Changes the given fields. */
    update(id: number, given: unknown): CreatedWebhook {
      const record = get(id);
      const fields = checkFields(given);
      const { label = record.label, url = record.url, subscriptions = record.subscriptions } = fields;
      if (Object.values(fields).every((field) => field === undefined)) {
        throw new HttpError(400, 'The body must contain at least one of the fields label, url and subscriptions.');
      }
      checkUnique(fields, id);
      const webhook = { ...record, label, url, subscriptions: [...subscriptions], updatedAt: time() };
      commit({ webhook });
      return webhook;
    },
    /** Returns whether the webhook existed. */
    remove(id: number): boolean {
      if (!state.webhooks.has(id)) return false;
      commit({ removed: id });
      return true;
    },
    get,
    list: (): Webhook[] => records().map(withoutSecret),
  };
}

/**
 * Checks the fields of a webhook to create or update. Ignores unknown keys.
 *
 * @throws HttpError 400 with a message that names the field.
 */
function checkFields(value: unknown): Partial<NewWebhook> {
  if (!isRecord(value)) throw new HttpError(400, 'The body must be a JSON object with label and url.');
  const { label, url, subscriptions } = value;
  if (label !== undefined) checkLabel(label);
  if (url !== undefined) checkUrl(url);
  if (subscriptions !== undefined) checkSubscriptions(subscriptions);
  return { label, url, subscriptions } as Partial<NewWebhook>;
}

function checkLabel(label: unknown): void {
  if (typeof label !== 'string' || label.trim() === '' || label.length > MAX_LABEL || !label.isWellFormed()) {
    throw new HttpError(400, `Field label must be a string of 1 to ${MAX_LABEL} characters.`);
  }
}

function checkSubscriptions(subscriptions: unknown): void {
  const kinds: readonly unknown[] = Array.isArray(subscriptions) ? subscriptions : [];
  const known = kinds.every((kind) => (EVENT_KINDS as readonly unknown[]).includes(kind));
  if (kinds.length === 0 || !known || new Set(kinds).size < kinds.length) {
    throw new HttpError(400, `Field subscriptions must be a list of one or both of: ${EVENT_KINDS.join(', ')}.`);
  }
}

function checkUrl(value: unknown): void {
  const url = typeof value === 'string' && value.length <= MAX_URL && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) {
    throw new HttpError(400, `Field url must be an absolute URL of at most ${MAX_URL} characters.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new HttpError(400, 'Field url must not contain a user name or password.');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new HttpError(
      400,
      'Field url must be an HTTPS URL. The local service also accepts http: for the hosts localhost, *.localhost, 127.0.0.1 and [::1].',
    );
  }
}
