const MEMORY = 'Keys that have expired count for nothing, so it cannot be seen when they are deleted.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/stores/leased-store.ts',
    to: 'leaseMs: claimMs >= leaseMs / 10 ? (leaseMs - claimMs) / 0.9 : leaseMs,',
    why: 'Where the two are equal, both ways give the same lease.',
  },
  {
    file: 'src/stores/leased-store.ts',
    to: "if (typeof claim === 'bigint' && (least === undefined || claim <= least)) least = claim;",
    why: 'Replaces a number by an equal one.',
  },
  { file: 'src/stores/bounded-calls.ts', to: 'era--;', why: 'Eras are only compared for equality.' },
  {
    file: 'src/stores/memory.ts',
    to: 'if (true) iterator = done.entries();',
    why: 'A new iterator finds the same entry, but steps over all that were deleted.',
  },
  {
    file: 'src/stores/memory.ts',
    to: 'if (oldest === undefined || (true && done.size < maxKeys)) break;',
    why: MEMORY,
  },
  {
    file: 'src/stores/memory.ts',
    to: 'if (oldest === undefined || (oldest[1] >= time && done.size < maxKeys)) break;',
    why: MEMORY,
  },
  {
    file: 'src/stores/memory.ts',
    to: 'if (true) running.delete(key);',
    why: 'The holder of the key deletes it a moment later, when it releases the key.',
  },
];
