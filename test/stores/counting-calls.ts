import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { IdempotencyStore } from '../../src/index.js';
import type { RedisLike } from '../../src/stores/redis/index.js';
import { nothing, unique } from '../contracts/store-helpers.js';
import { once } from './calls.js';

const METHODS = ['call', 'customCommand', 'set', 'eval'];

/** A client that counts its unanswered calls, and their maximum. */
export function countingCalls(client: RedisLike) {
  const waiting = { now: 0, most: 0 };
  const counting = new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function' || !METHODS.includes(String(property))) return value;
      return async (...args: unknown[]) => {
        waiting.most = Math.max(waiting.most, ++waiting.now);
        try {
          return await value.apply(target, args);
        } finally {
          waiting.now--;
        }
      };
    },
  });
  return { client: counting, waiting };
}

/** Takes new keys at a rate until one took effect. Says how long that took. */
export async function untilHandled(store: IdempotencyStore, everyMs: number, withinMs: number): Promise<number> {
  const start = performance.now();
  let took: number | undefined;
  const taken: Promise<unknown>[] = [];
  while (took === undefined && performance.now() - start < withinMs) {
    taken.push(
      once(store, unique(), nothing).then(
        () => {
          took ??= performance.now() - start;
        },
        (error) => expect(error.message).toBeTypeOf('string'),
      ),
    );
    await sleep(everyMs);
  }
  await Promise.all(taken);
  return took ?? Number.POSITIVE_INFINITY;
}
