/** Columns as wide as their widest cell. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] as number)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
