import type { DeliveryRecord } from '../deliveries/delivery-record.js';
import type { FindingSources } from '../deliveries/findings.js';
import type { LocalDelivery } from '../service/delivery.js';
import type { LocalService } from '../service/local-service.js';
import type { PageActions } from './page-actions.js';
import { PageError } from './page-guard.js';

/** A delivery of the local service, as a record of the feed. */
export function recordOf(delivery: LocalDelivery, now: number): DeliveryRecord {
  const { id, webhookId, label, url: target, rawBody, nextAttemptAt } = delivery;
  const none = { at: now, headers: [], code: 'GIVEN_UP', reason: 'Dropped before it was sent: the queue was full.' };
  const attempts = delivery.attempts.length > 0 ? delivery.attempts : [none];
  return { id, webhookId, label, target, rawBody, attempts, nextAttemptAt };
}

/** The secrets for explaining the deliveries of a local service. */
export function localSecrets(service: LocalService): Pick<FindingSources, 'secretOf' | 'otherSecretsOf'> {
  return {
    secretOf: ({ webhookId }) => (webhookId === undefined ? undefined : service.secretOf(webhookId)),
    otherSecretsOf({ webhookId }) {
      const others = service.webhooks().filter(({ id }) => id !== webhookId);
      return Object.fromEntries(others.map(({ id, label }) => [label, service.secretOf(id) ?? '']));
    },
  };
}

/** The actions of the page on a local service. */
export function localActions(service: LocalService, sample: () => object | Promise<object>): PageActions {
  return {
    register: (webhook) => service.register(webhook),
    remove: (id) => service.remove(id),
    setFaults(faults) {
      try {
        service.setFaults(faults);
      } catch (error) {
        // The request of the page is invalid.
        throw new PageError(400, (error as Error).message);
      }
      return service.faults;
    },
    resend({ id }) {
      if (service.redeliver(id)) return { id };
      throw new PageError(404, 'The service no longer keeps this delivery.');
    },
    sample,
  };
}
