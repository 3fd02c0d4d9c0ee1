import { expect, it } from 'vitest';
import type { Attempt } from '../../src/deliveries/delivery-record.js';
import { verdictOf } from '../../src/deliveries/verdict.js';

it.each<[string, Partial<Attempt>, string]>([
  ['a 2xx is accepted', { status: 204 }, 'accepted'],
  ['a 400 is refused', { status: 400 }, 'refused'],
  ['a 401 is refused', { status: 401 }, 'refused'],
  ['a 403 is refused', { status: 403 }, 'refused'],
  ['a 422 is refused', { status: 422 }, 'refused'],
  ['a 404 is failed', { status: 404 }, 'failed'],
  ['a 500 is failed', { status: 500 }, 'failed'],
  ['a redirect is failed', { status: 302 }, 'failed'],
  ['no answer is failed', { code: 'ECONNREFUSED', reason: 'Nothing listens there.' }, 'failed'],
  ['not yet an answer is pending', {}, 'pending'],
])('%s', (_, attempt, verdict) => {
  expect(verdictOf({ at: 0, headers: [], ...attempt })).toBe(verdict);
});
