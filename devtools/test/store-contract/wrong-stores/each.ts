import type { ClaimAnswer } from '../../../../src/stores/store.js';
import { leases } from './right-stores.js';

// Lease stores that are correct with one key, but not with several.

/** One row for a whole delivery: if one event is a duplicate, all are. */
export const AnswersOneWordForAll = leases((right) => ({
  async claim(keys, owner) {
    const done = await right.server.call(() => keys.some((key) => right.server.find(key)?.isDone));
    return done ? new Map(keys.map((key) => [key, 'duplicate' as const])) : right.claim(keys, owner);
  },
}));

/** Matches rows that come back in the order of the index with the keys in their order. */
export const AnswersInSortedOrder = leases((right) => ({
  async claim(keys, owner) {
    const answers = [...(await right.claim([...keys].sort(), owner)).values()];
    return new Map(keys.map((key, index) => [key, answers[index] as ClaimAnswer]));
  },
}));

/** Ignores the `UnprocessedItems` of a batch write. */
export const RecordsTwentyFive = leases((right) => ({
  record: async (keys, owner) =>
    new Map([...keys.map((key) => [key, true] as const), ...(await right.record(keys.slice(0, 25), owner))]),
}));

/** Frees only the first key of a failed run. */
export const FreesTheFirstKey = leases((right) => ({
  release: (keys, owner) => right.release(keys.slice(0, 1), owner),
}));

/** Gives up at the first key that another run has claimed, and keeps the keys it has claimed so far. */
export const KeepsKeysWhenOneIsHeld = leases((right) => ({
  async claim(keys, owner) {
    const answers = new Map<string, ClaimAnswer>();
    for (const key of keys) {
      const answer = (await right.claim([key], owner)).get(key) as ClaimAnswer;
      if (answer === 'in-progress') return new Map(keys.map((each) => [each, answer]));
      answers.set(key, answer);
    }
    return answers;
  },
}));

/** Leaves keys that another run has claimed out of the answer. */
export const LeavesHeldKeysOut = leases((right) => ({
  claim: async (keys, owner) =>
    new Map([...(await right.claim(keys, owner))].filter(([, answer]) => answer !== 'in-progress')),
}));
