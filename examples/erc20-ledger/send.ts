import { setTimeout } from 'node:timers/promises';
import { createTestDelivery } from 'event-webhook-receiver/testing';
import type { Notice } from './chain.js';
import type { Random } from './random.js';
import { eventOf } from './wire.js';

const LONGEST_DELAY_MS = 3000;
const LONGEST_RETRY_MS = 1000;

/** Where deliveries go, and what decides about them. */
export interface Target {
  readonly url: string;
  readonly secret: string;
  readonly random: Random;
}

/** A service that loses, repeats, delays and reorders deliveries, and sends the others until they are acknowledged. */
export function createService({ url, secret, random }: Target) {
  const deliveries: Promise<void>[] = [];
  const sent: Notice[] = [];
  /** How often which status came, and how often none. */
  const answers: Record<string, number> = {};

  async function deliver(events: readonly unknown[], delayMs: number): Promise<void> {
    await setTimeout(delayMs);
    for (let tries = 1; ; tries++) {
      // Signed anew each time.
      const { status } = await createTestDelivery([...events], { secret })
        .send(url)
        .catch(() => ({ status: 'no answer' }));
      answers[status] = (answers[status] ?? 0) + 1;
      if (status === 200) return;
      await setTimeout(Math.min(200 * tries, LONGEST_RETRY_MS));
    }
  }

  return {
    answers,
    /** What was not lost. */
    sent,
    send(notices: readonly Notice[]): void {
      const kept = notices.filter(() => random.below(10) > 0);
      sent.push(...kept);
      const events = kept.map(eventOf);
      const repeated = events.filter(() => random.below(3) === 0);
      const renamed = kept.filter(() => random.below(4) === 0).map(eventOf);
      const shuffled = random.shuffled([...events, ...repeated, ...renamed]);
      while (shuffled.length > 0) {
        deliveries.push(deliver(shuffled.splice(0, 1 + random.below(4)), random.below(LONGEST_DELAY_MS)));
      }
    },
    /** Resolves when everything that was sent is acknowledged. */
    async idle(): Promise<void> {
      await Promise.all(deliveries);
    },
  };
}
