import { expect, it } from 'vitest';
import { deferred, event, noting, signed } from '../../helpers.js';
import { storeDoing } from '../fake-bulk-store.js';

it('a store that is left early does not keep the transaction of a handler that fails after its time', async () => {
  const words: unknown[] = [];
  const store = storeDoing((run) => {
    const settled = run().then(
      () => words.push('handled'),
      () => words.push('failed'),
    );
    // A wrapper that limits the time.
    return Promise.race([settled, new Promise<never>((_, reject) => setTimeout(reject, 5))]);
  });
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
