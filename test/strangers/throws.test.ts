import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReceiver, createVerifier, type ReceiverOptions, type WebhookError } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import type { Settings } from '../helpers.js';
import { expectNothingUnhandled } from '../matrix/app.js';
import { now, SECRET, sign } from '../matrix/deliveries.js';
import { anyThrown } from './odd-throws.js';

/** Where user code can throw, and what is answered then, whatever it throws. */
const PLACES: Record<string, { status: number; options: (fail: () => never) => Settings }> = {
  onEvent: { status: 500, options: (onEvent) => ({ onEvent }) },
  'onEvent, later': { status: 500, options: (fail) => ({ onEvent: async () => fail() }) },
  idempotencyKey: { status: 500, options: (idempotencyKey) => ({ idempotencyKey }) },
  onInvalid: { status: 500, options: (onInvalid) => ({ onInvalid }) },
  onUnknown: { status: 500, options: (onUnknown) => ({ onUnknown }) },
  secret: { status: 503, options: (secret) => ({ secret }) },
  'secret, later': { status: 503, options: (fail) => ({ secret: async () => fail() }) },
  store: { status: 503, options: (once) => ({ store: { once } }) },
  'store, later': { status: 503, options: (fail) => ({ store: { once: async () => fail() } }) },
  enqueue: { status: 503, options: (enqueue) => ({ enqueue, onEvent: undefined }) },
};

describe('a receiver', () => {
  expectNothingUnhandled();

  it.each(Object.entries(PLACES))('answers for itself whatever %s throws', async (place, { status, options }) => {
    let thrown: unknown;
    const reported: WebhookError[] = [];
    const settings = {
      secret: SECRET,
      now,
      onEvent: () => {},
      onError: (error: WebhookError) => reported.push(error),
      ...options(() => {
        throw thrown;
      }),
    };
    const receiver = createReceiver(settings as ReceiverOptions);
    const item = { onUnknown: { id: 'u', event: 'block.mined', data: {} }, onInvalid: null }[place];
    await fc.assert(
      fc.asyncProperty(anyThrown, async (make) => {
        thrown = make();
        reported.length = 0;
        const { body, ...parts } = sign(JSON.stringify([item === undefined ? sampleEventEmitted() : item]));
        expect((await receiver.handle({ rawBody: body, ...parts })).status).toBe(status);
        expect(reported.map((error) => error.status)).toEqual([status]);
      }),
      { seed: 12, numRuns: 60 },
    );
  });
});

it('a verifier answers for itself whatever its secret function throws', async () => {
  await fc.assert(
    fc.asyncProperty(anyThrown, async (make) => {
      const secret = () => {
        throw make();
      };
      const { body, ...parts } = sign('[]');
      expect((await createVerifier({ secret, now }).verify({ rawBody: body, ...parts })).refusal?.status).toBe(503);
    }),
    { seed: 12, numRuns: 60 },
  );
});
