/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/receive/arrivals.ts': {
    'The catch takes a missing listener for one that fails.': ['listener(error);'],
    'A shortcut: where there is room, nothing is dropped.': [
      'if (false) return;',
      'if (total < maxArrivingBytes) return;',
    ],
    'Two numbers that are equal by chance about never.': [
      'return free >= 1 && Math.random() * LAST_PLACES * maxLookUps <= usuallyFree;',
    ],
    'A count of none costs memory only.': ['if (false) counts.delete(arrival.peer);'],
    'To count no bytes changes nothing.': [
      'if (!arriving.has(arrival) || !(bytes >= 0 && bytes < Number.POSITIVE_INFINITY)) return;',
    ],
  },
};
