import type { Courier } from './courier.js';
import type { HeldQueue } from './held-queue.js';
import type { State, WebhookState } from './state.js';

/** The webhooks whose deliveries wait behind one that is retried. */
export interface Queues {
  list(): HeldQueue[];
  /** Reports a change if the queue of this webhook is held back or was. Call it after anything that may have changed it. */
  look(webhookId: number): void;
}

export function createQueues(
  state: State,
  couriers: ReadonlyMap<number, Pick<Courier, 'held'>>,
  onChange: () => void,
): Queues {
  const known = new Set<number>();

  function heldOf([webhookId, { record, pending }]: [number, WebhookState]): HeldQueue[] {
    const held = couriers.get(webhookId)?.held();
    if (held === undefined) return [];
    const { id, attempts, createdAt, nextAttemptAt } = held.delivery;
    return [
      {
        ...{ webhookId, label: record.label, behind: String(id), waiting: pending.size - 1 },
        since: attempts[0]?.at ?? createdAt,
        nextAttemptAt: held.isInFlight ? undefined : nextAttemptAt,
      },
    ];
  }

  return {
    list: () => [...state.webhooks].flatMap(heldOf),
    look(webhookId) {
      const wasHeld = known.delete(webhookId);
      const isHeld = couriers.get(webhookId)?.held() !== undefined;
      if (isHeld) known.add(webhookId);
      if (isHeld || wasHeld) onChange();
    },
  };
}
