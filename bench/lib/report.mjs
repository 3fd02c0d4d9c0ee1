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
  // A difference or a ratio of times too short for the clock.
  if (!Number.isFinite(value)) return '–';
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

const VERDICT = new Map([
  [true, 'met'],
  [false, 'MISSED'],
  [undefined, ''],
]);

const COLUMNS = [58, 40, 20, 8, 15, 10, 6];

function format(cells) {
  const aligned = cells.map((cell, at) => (at >= 3 && at <= 4 ? cell.padStart(COLUMNS[at]) : cell.padEnd(COLUMNS[at])));
  return aligned.join('  ').trimEnd();
}

/** The head of the table: lines are printed as they are measured, so its columns have fixed widths. */
export const HEAD = [
  format(['path', 'against', 'measure', 'median', 'p25 – p75', 'target', '']),
  format(COLUMNS.map((width) => '─'.repeat(width))),
].join('\n');

/** The lines of the table for a benchmark. */
export function toLines({ name, rows, skipped, error }) {
  if (skipped) return [`${name.padEnd(COLUMNS[0])}  skipped: ${skipped}`];
  if (error) return [`${name.padEnd(COLUMNS[0])}  FAILED: ${error.split('\n', 1)[0]}`];
  return rows.map((row) =>
    format([
      row.name,
      row.against,
      row.measure,
      number(row.median),
      row.rounds > 1 ? `${number(row.p25)} – ${number(row.p75)}` : '',
      targetText(row.target),
      VERDICT.get(isMet(row)),
    ]),
  );
}

/** The results of benchmarks as data, with what they were measured on. */
export function toJson(results, effort) {
  const round = (value) => Number(value.toPrecision(4));
  return {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    effort,
    failed: results.filter(({ error }) => error).map(({ name, error }) => ({ name, error })),
    skipped: results.filter(({ skipped }) => skipped).map(({ name, skipped }) => ({ name, skipped })),
    rows: results
      .flatMap(({ rows = [] }) => rows)
      .map(({ name, against, measure, median, p25, p75, rounds, target }) => ({
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
