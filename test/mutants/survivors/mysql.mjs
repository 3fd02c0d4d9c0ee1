const ONE_ROW = 'A SELECT without a table has one row.';

/** Mutants that change nothing, or nothing that can be seen: by file and reason, the mutated lines. */
export const survivors = {
  'src/stores/sql/mysql.ts': {
    '`prepare` sets it before anything reads it.': ['isMariadb: true,'],
  },
  'src/stores/sql/mysql-transaction.ts': {
    'The pattern refuses undefined too: the comparison is for the types alone.': [
      `if (true && /^\\d+$/.test(holder)) await run(\`KILL \${what} \${holder}\`);`,
    ],
    [ONE_ROW]: [
      `const lookAt = async (run: RunStatement) => keysOf(await run(\`SELECT \${settingsText(table.isMariadb)}\`))[0] ?? "Stryker was here!";`,
    ],
  },
};
