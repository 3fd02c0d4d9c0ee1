import { describe, expect, it } from 'vitest';
import { createReceiver, type WebhookError } from '../../src/index.js';
import { deferred } from '../helpers.js';
import { genuine, now, SECRET } from '../matrix/deliveries.js';

const handled = (delivery: ReturnType<typeof genuine>) => ({ ...delivery, rawBody: delivery.body });

describe('look-ups of secrets', () => {
  it('are bounded by ten times maxArriving, with those of deliveries that were dropped meanwhile', async () => {
    const found = deferred<string>();
    const errors: WebhookError[] = [];
    let lookUps = 0;
    const receiver = createReceiver({
      now,
      secret: () => {
        lookUps++;
        return found.promise;
      },
      maxArriving: 2,
      onEvent: () => {},
      onError: (error) => errors.push(error),
    });
    const answers = Array.from({ length: 24 }, () => receiver.handle(handled(genuine())));
    await Promise.all(answers.slice(20));
    expect(lookUps).toBe(20);
    found.resolve(SECRET);
    const results = await Promise.all(answers);
    expect(results.every(({ status }) => status === 503)).toBe(true);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['ERR_WEBHOOK_OVERLOADED']));
    // And it recovers.
    await new Promise(setImmediate);
    expect((await receiver.handle(handled(genuine()))).status).toBe(200);
  });

  it('of a dropped delivery end in nothing: it is handled by nobody', async () => {
    const found = deferred<string>();
    let handlings = 0;
    const receiver = createReceiver({
      now,
      secret: () => found.promise,
      maxArriving: 1,
      onEvent: () => void handlings++,
    });
    const dropped = receiver.handle(handled(genuine()));
    await Promise.resolve();
    const second = receiver.handle(handled(genuine()));
    expect((await dropped).status).toBe(503);
    found.resolve(SECRET);
    await second;
    await new Promise(setImmediate);
    expect(handlings).toBeLessThanOrEqual(1);
  });
});
