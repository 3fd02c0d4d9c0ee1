import { expect, it } from 'vitest';
import { type IdempotencyStore, memoryStore } from '../../../src/index.js';
import { deferred, event, noting, signed } from '../../helpers.js';

it('a store that is left early does not record the key of a handler that fails after its time', async () => {
  const inner = memoryStore();
  const words: unknown[] = [];
  const store: IdempotencyStore = {
    ...inner,
    once(key, run) {
      const settled = inner.once(key, run).then(
        (word) => void words.push(word),
        () => void words.push('failed'),
      );
      // A wrapper that limits the time.
      return Promise.race([settled as never, new Promise<never>((_, reject) => setTimeout(reject, 5))]);
    },
  };
  const handling = deferred<void>();
  const { receiver } = noting({ store, handlerTimeoutMs: 20, onEvent: () => handling.promise });
  expect((await receiver.handle(signed([event('a')]))).status).toBe(503);
  // Until the handler's time is over, too.
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(words).toEqual([]);
  handling.reject(new Error('no'));
  await receiver.drain();
  expect(words).toEqual(['failed']);
});
