/** Whether a row's median lies where it should; undefined for a row that only informs. */
export function isMet({ median, target }) {
  if (target === undefined) return undefined;
  return median >= (target.min ?? Number.NEGATIVE_INFINITY) && median <= (target.max ?? Number.POSITIVE_INFINITY);
}

function targetText({ min, max, text } = {}) {
  if (text !== undefined) return text;
  if (min !== undefined && max !== undefined) return `${min} – ${max}`;
  if (min !== undefined) return `≥ ${min.toFixed(2)}`;
  return max === undefined ? '' : `≤ ${max.toFixed(2)}`;
}

function number(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

const VERDICT = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, ''],
]);

/** The rows as a table of aligned columns. */
export function toTable(rows) {
  const head = ['path', 'against', 'measure', 'median', 'p25 – p75', 'target', ''];
  const lines = rows.map((row) => [
    row.name,
    row.against,
    row.measure,
    number(row.median),
    row.rounds > 1 ? `${number(row.p25)} – ${number(row.p75)}` : '',
    targetText(row.target),
    VERDICT.get(isMet(row)),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)));
  const format = (line) =>
    line
      .map((cell, column) => (column >= 3 && column <= 4 ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd();
  return [format(head), format(widths.map((width) => '─'.repeat(width))), ...lines.map(format)].join('\n');
}

/** The rows as data, with what they were measured on. */
export function toJson(rows, { quick }) {
  const round = (value) => Number(value.toPrecision(4));
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    quick,
    rows: rows.map(({ name, against, measure, median, p25, p75, rounds, target }) => ({
      name,
      against,
      measure,
      median: round(median),
      p25: round(p25),
      p75: round(p75),
      rounds,
      target,
      met: isMet({ median, target }),
    })),
  };
}
