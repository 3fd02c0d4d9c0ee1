import { visible } from './visible.js';

/** Columns as wide as their widest cell. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  }
  const line = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] as number)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

/** The fields of a record, one a line, without absent ones. Times are shown as dates. */
export function fieldsText(record: object): string {
  const shown = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
  const text = (name: string, value: unknown) => {
    if (name.endsWith('At') && typeof value === 'number') return new Date(value).toISOString();
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return textTable(shown.map(([name, value]) => [visible(name), visible(text(name, value))]));
}
