const ONE_ROW = 'A SELECT without a table has one row.';

/** Mutants that change nothing, or nothing that can be seen. */
export const survivors = [
  {
    file: 'src/stores/sql/mysql.ts',
    to: 'isMariadb: true,',
    why: '`prepare` sets it before anything reads it.',
  },
  {
    file: 'src/stores/sql/mysql.ts',
    to: `table.isSerializable = (durations.isolationLevel ?? level).toUpperCase() === 'SERIALIZABLE';`,
    why: ONE_ROW,
  },
  {
    file: 'src/stores/sql/mysql-transaction.ts',
    to: `if (true && /^\\d+$/.test(holder)) await run(\`KILL \${what} \${holder}\`);`,
    why: 'The pattern refuses undefined too: the comparison is for the types alone.',
  },
  {
    file: 'src/stores/sql/mysql-transaction.ts',
    to: `const lookAt = async (run: Run) => keysOf(await run(\`SELECT \${settingsText(table.isMariadb)}\`))[0] ?? "Stryker was here!";`,
    why: ONE_ROW,
  },
];
