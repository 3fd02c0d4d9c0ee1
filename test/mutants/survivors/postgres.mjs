const DEFAULTS = 'Every row has these columns: the default is for the types alone.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/stores/sql/postgres.ts': {
    [DEFAULTS]: [
      `return new Map(rows.map(valuesOf).map(([key = "Stryker was here!", token = '']) => [key, BigInt(token)]));`,
      `return new Map(rows.map(valuesOf).map(([key = '', token = "Stryker was here!"]) => [key, BigInt(token)]));`,
      'return { keys: claimed.map(([key = "Stryker was here!"]) => key), id, fencingToken: id ? BigInt(id) : undefined };',
    ],
    'A SELECT without a table has one row.': ['if (rows.map(valuesOf)[0][0] !== id) throw storeError(ENDED);'],
  },
};
