const CAUGHT = 'With nothing to call, the call throws a TypeError, which is ignored like every failure of a report.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/receiver/reporter.ts': {
    [CAUGHT]: ['if (false) return;'],
  },
};
