import { setTimeout } from 'node:timers/promises';
import { createTestDelivery } from 'event-webhook-receiver/testing';

const AT_ONCE = 8;
const MOST_TRIES = 20;
/** Longer after each try. */
const RETRY_MS = 25;

/** Where deliveries go, and what to do in between. */
export interface Target {
  readonly url: string;
  readonly secret: string;
  /** Called after each delivery that was acknowledged, with how many have been. Nothing new is sent until it resolves. */
  readonly acknowledged: (count: number) => unknown;
}

/**
 * Sends every delivery, several at once, and again until it is acknowledged. Each time it is signed anew.
 *
 * @returns How often which status came, and how often none.
 */
export async function sendAll(deliveries: readonly unknown[][], target: Target): Promise<Record<string, number>> {
  const open = deliveries.map((events) => ({ events, tries: 0 }));
  const answers: Record<string, number> = {};
  let done = 0;
  let pause: unknown;

  async function work(): Promise<void> {
    for (let next = open.shift(); next; next = open.shift()) {
      await pause;
      const { status } = await createTestDelivery(next.events, { secret: target.secret })
        .send(target.url)
        .catch(() => ({ status: 'no answer' }));
      answers[status] = (answers[status] ?? 0) + 1;
      if (status === 200) pause = target.acknowledged(++done) ?? pause;
      else {
        if (++next.tries === MOST_TRIES)
          throw new Error(`Not acknowledged in ${MOST_TRIES} tries; the last: ${status}.`);
        await setTimeout(RETRY_MS * next.tries);
        open.push(next);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}
