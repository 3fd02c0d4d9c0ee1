import type { Courier } from './courier.js';
import type { State } from './state.js';

/** A webhook whose deliveries wait, because one that failed is retried before them. */
export interface HeldQueue {
  readonly webhookId: number;
  /** Label of the webhook. */
  readonly label: string;
  /** Id of the delivery that is retried. */
  readonly behind: string;
  /** The number of deliveries that wait behind it. */
  readonly waiting: number;
  /** When it was first sent, in Unix milliseconds. */
  readonly since: number;
  /** When it is sent again, in Unix milliseconds; undefined while an attempt is in flight. */
  readonly nextAttemptAt?: number | undefined;
}

/** The webhooks whose deliveries wait behind one that is retried. */
export function heldQueues(state: State, couriers: ReadonlyMap<number, Pick<Courier, 'held'>>): HeldQueue[] {
  return [...state.webhooks].flatMap(([webhookId, { record, pending }]) => {
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
  });
}
