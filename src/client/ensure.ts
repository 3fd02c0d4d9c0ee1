import { ConfigError } from '../errors.js';
import { isSameUrl } from './addresses.js';
import type { NewWebhook, Webhook, WebhookChanges } from './webhook.js';

/** The result of `ensure`. */
export interface EnsuredWebhook {
  readonly webhook: Webhook;
  /** Whether no webhook had the label. */
  readonly created: boolean;
  /** Whether its URL or subscriptions were changed. */
  readonly updated: boolean;
}

interface Registry {
  list(): AsyncIterable<Webhook>;
  create(webhook: NewWebhook): Promise<Webhook>;
  update(id: number, changes: WebhookChanges): Promise<Webhook>;
}

/** Creates `ensure`. Calls for one label run one after the other. `check` throws for an invalid webhook. */
export function createEnsure(
  registry: Registry,
  check: (wanted: NewWebhook) => void,
): (wanted: NewWebhook) => Promise<EnsuredWebhook> {
  const last = new Map<string, Promise<unknown>>();
  return async (wanted) => {
    check(wanted);
    const { label } = wanted;
    const run = () => ensure(registry, wanted);
    const work = (last.get(label) ?? Promise.resolve()).then(run, run);
    last.set(label, work);
    try {
      return await work;
    } finally {
      if (last.get(label) === work) last.delete(label);
    }
  };
}

async function ensure(registry: Registry, wanted: NewWebhook): Promise<EnsuredWebhook> {
  const webhook = await find(registry, wanted);
  if (webhook === undefined) return { webhook: await registry.create(wanted), created: true, updated: false };
  if (isAsWanted(webhook, wanted)) return { webhook, created: false, updated: false };
  const { url, subscriptions } = wanted;
  const changes = { url, ...(subscriptions && { subscriptions }) };
  return { webhook: await registry.update(webhook.id, changes), created: false, updated: true };
}

/** The webhook to keep: the one with label and URL, otherwise the only one with the label. */
async function find({ list }: Registry, { label, url }: NewWebhook): Promise<Webhook | undefined> {
  const found: Webhook[] = [];
  for await (const webhook of list()) {
    if (webhook.label !== label) continue;
    if (isSameUrl(webhook.url, url)) return webhook;
    found.push(webhook);
  }
  if (found.length <= 1) return found[0];
  const ids = found.slice(0, 10).map(({ id }) => id);
  throw new ConfigError(
    `${found.length} webhooks have this label, but none has this URL: ${ids.join(', ')}. Remove or rename the wrong ones.`,
  );
}

function isAsWanted(webhook: Webhook, { url, subscriptions }: NewWebhook): boolean {
  if (!isSameUrl(webhook.url, url)) return false;
  if (!subscriptions || !Array.isArray(webhook.subscriptions)) return true;
  const has = new Set(webhook.subscriptions);
  return has.size === new Set(subscriptions).size && subscriptions.every((each) => has.has(each));
}
