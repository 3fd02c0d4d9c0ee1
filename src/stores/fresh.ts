import type { ClaimAnswer, Claimed } from './store.js';

/** The keys that a claim got, in the order of the answers. */
export function freshOf(answers: ReadonlyMap<string, ClaimAnswer>): Map<string, Claimed> {
  const fresh = new Map<string, Claimed>();
  for (const [key, answer] of answers) if (typeof answer === 'object') fresh.set(key, answer);
  return fresh;
}
