import { isWebhookError } from 'event-webhook-receiver';
import type { DeliveryRecord } from '../deliveries/delivery-record.js';
import type { FindingSources } from '../deliveries/findings.js';
import { HttpError } from '../http.js';
import type { PageActions } from '../page/page-actions.js';
import type { LocalDelivery } from '../service/delivery.js';
import { sentBody } from '../service/faults.js';
import type { LocalService } from '../service/local-service.js';

/** A delivery of the local service, as a record of the feed. */
export function recordOf(delivery: LocalDelivery, now: number): DeliveryRecord {
  const { id, webhookId, label, url: target, nextAttemptAt } = delivery;
  const none = { at: now, headers: [], code: 'GIVEN_UP', reason: 'Dropped before it was sent: the queue was full.' };
  const attempts = delivery.attempts.length > 0 ? delivery.attempts : [none];
  const rawBody = sentBody(delivery.rawBody, delivery.attempts.at(-1)?.tampered);
  return { id, webhookId, label, target, rawBody, attempts, nextAttemptAt };
}

/** The secrets for explaining the deliveries of a local service. */
export function localSecrets(service: LocalService): Pick<FindingSources, 'secretOf' | 'otherSecretsOf'> {
  return {
    secretOf: ({ webhookId }) => (webhookId === undefined ? undefined : service.secretOf(webhookId)),
    otherSecretsOf({ webhookId }) {
      const others = service.webhooks().filter(({ id }) => id !== webhookId);
      return Object.fromEntries(others.map(({ id, label }) => [label, service.secretOf(id) as string]));
    },
  };
}

/** The actions of the page on a local service. */
export function localActions(service: LocalService, sample: () => object | Promise<object>): PageActions {
  return {
    register: (webhook) => inWords(() => service.register(webhook)),
    remove: (id) => inWords(() => service.remove(id)),
    setFaults(faults) {
      // The request of the page is invalid.
      inWords(() => service.setFaults(faults), 400);
      return service.faults;
    },
    resend({ id, recorded }) {
      if (!recorded && inWords(() => service.redeliver(id))) return { id };
      throw new HttpError(404, recorded ? RECORDED : 'The service no longer keeps this delivery.');
    },
    send({ rawBody, from }) {
      const target = from.webhookId ?? onlyWebhook(service);
      return { id: inWords(() => service.deliver(target, rawBody)) };
    },
    retry(webhookId) {
      const id = inWords(() => service.retry(webhookId));
      return id === undefined ? undefined : { id };
    },
    sample() {
      const webhooks = service.webhooks();
      if (webhooks.length === 0) throw new HttpError(409, NONE);
      if (webhooks.some(({ subscriptions }) => subscriptions.includes('event.emitted'))) return sample();
      throw new HttpError(409, 'No webhook subscribes to event.emitted, the kind of the sample.');
    },
  };
}

const NONE = 'No webhook is registered. Register the URL of your app first.';
const RECORDED = 'This delivery comes from a recording. Edit it to send its body with a new signature.';

function onlyWebhook(service: LocalService): number {
  const [first, second] = service.webhooks();
  if (first === undefined) throw new HttpError(409, NONE);
  if (second !== undefined) throw new HttpError(409, 'Choose the webhook to send it to.');
  return first.id;
}

/** Runs a call of the service. Its errors about options and the file are for the user of the page too. */
function inWords<Result>(run: () => Result, status = 503): Result {
  try {
    return run();
  } catch (error) {
    if (isWebhookError(error) && error.code === 'ERR_WEBHOOK_CONFIG') throw new HttpError(status, error.message);
    throw error;
  }
}
