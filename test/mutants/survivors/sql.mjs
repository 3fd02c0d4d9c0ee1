/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/stores/sql/table.ts',
    to: `const parts = typeof name === 'string' ? name.split('.') : ["Stryker was here"];`,
    why: 'A part with spaces is refused, as no part at all is.',
  },
];
