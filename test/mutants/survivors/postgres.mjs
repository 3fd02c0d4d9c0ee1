const DEFAULTS = 'Every row has these columns: the default is for the types alone.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/stores/sql/postgres.ts',
    to: `return new Map(rows.map(valuesOf).map(([key = "Stryker was here!", token = '']) => [key, BigInt(token)]));`,
    why: DEFAULTS,
  },
  {
    file: 'src/stores/sql/postgres.ts',
    to: `return new Map(rows.map(valuesOf).map(([key = '', token = "Stryker was here!"]) => [key, BigInt(token)]));`,
    why: DEFAULTS,
  },
  {
    file: 'src/stores/sql/postgres.ts',
    to: 'return { keys: claimed.map(([key = "Stryker was here!"]) => key), id, fencingToken: id ? BigInt(id) : undefined };',
    why: DEFAULTS,
  },
  {
    file: 'src/stores/sql/postgres.ts',
    to: 'if (rows.map(valuesOf)[0][0] !== id) throw storeError(ENDED);',
    why: 'A SELECT without a table has one row.',
  },
];
