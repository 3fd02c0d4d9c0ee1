/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/stores/sql/table.ts': {
    'A part with spaces is refused, as no part at all is.': [
      `const parts = typeof name === 'string' ? name.split('.') : ["Stryker was here"];`,
    ],
  },
};
