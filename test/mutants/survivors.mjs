/** The mutants of a report that no test killed, each with the line it is in and that line mutated. */
function* survivorsOf({ files }) {
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    for (const { status, location, replacement, mutatorName } of mutants) {
      if (status !== 'Survived' && status !== 'NoCoverage') continue;
      const { start, end } = location;
      const head = lines[start.line - 1].slice(0, start.column - 1);
      const tail = lines[end.line - 1].slice(end.column - 1);
      const from = lines
        .slice(start.line - 1, end.line)
        .join('\n')
        .trim();
      yield { file, line: start.line, mutatorName, status, from, to: `${head}${replacement}${tail}`.trim() };
    }
  }
}

/** A table of survivors as a list. */
function* listOf(table) {
  for (const [file, reasons] of Object.entries(table)) {
    for (const lines of Object.values(reasons)) for (const to of lines) yield { file, to };
  }
}

/**
 * Counts a room's mutants and finds those that survive without being named. A survivor is named by its file, the reason and
 * its mutated line or lines, so that it is found again when lines move.
 */
export function judge(report, table) {
  const named = [...listOf(table)];
  const all = Object.values(report.files).flatMap(({ mutants }) => mutants);
  const count = (...statuses) => all.filter(({ status }) => statuses.includes(status)).length;
  const survivors = [...survivorsOf(report)];
  const isSame = (one) => (other) => one.file === other.file && one.to === other.to;
  const unnamed = survivors.filter((survivor) => !named.some(isSame(survivor)));
  const [killed, timedOut] = [count('Killed'), count('Timeout')];
  const valid = killed + timedOut + survivors.length;
  const percent = Math.floor((1000 * (killed + timedOut)) / valid) / 10;
  return {
    row: { mutants: valid, killed, 'timed out': timedOut, survived: survivors.length, 'killed %': percent },
    unnamed,
    gone: named.filter((each) => !survivors.some(isSame(each))),
  };
}

export function toText({ file, line, mutatorName, status, from, to }) {
  return `${file}:${line} ${mutatorName}${status === 'NoCoverage' ? ' (no test runs it)' : ''}\n- ${from}\n+ ${to}\n`;
}
