/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/receive/arrivals.ts': {
    'The catch takes a missing listener for one that fails.': ['listener(error);'],
    'To count no bytes changes nothing.': [
      'if (!arriving.has(arrival) || !(bytes >= 0 && bytes < Number.POSITIVE_INFINITY)) return;',
    ],
  },
};
