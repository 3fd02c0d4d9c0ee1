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
