const MEMORY = 'Keys that have expired count for nothing, so it cannot be seen when they are deleted.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/stores/leased-store.ts': {
    'Where the two are equal, both ways give the same lease.': [
      'leaseMs: claimMs >= leaseMs / 10 ? (leaseMs - claimMs) / 0.9 : leaseMs,',
    ],
    'Replaces a number by an equal one.': [
      "if (typeof claim === 'bigint' && (least === undefined || claim <= least)) least = claim;",
    ],
  },
  'src/stores/bounded-calls.ts': {
    'Eras are only compared for equality.': ['era--;'],
  },
  'src/stores/memory.ts': {
    'A new iterator finds the same entry, but steps over all that were deleted.': [
      'if (true) iterator = passing.entries();',
    ],
    [MEMORY]: ['if (row.expiresAt >= time) {'],
  },
};
