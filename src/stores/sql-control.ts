/** What ends a transaction, or begins one. */
const CONTROL =
  /^\s*(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+((work|transaction)\s+)?to\b))\b/i;
/** A text without any of these is not read further. */
const WORDS = /\b(begin|start|commit|end|abort|prepare|rollback)\b/i;
/** Where something begins in which there are no statements, and where a statement ends. */
const MARKS = /--|\/\*|\be'|'|"|\$(?:[a-z_]\w*)?\$|;/gi;

/** Whether one of the statements of a text ends the transaction that it is run in, or begins another. */
export function isControl(text: string): boolean {
  if (!WORDS.test(text)) return false;
  const statements = statementsOf(text);
  // The body of a function in standard SQL has semicolons, and an END that is not a statement.
  const body = statements.findIndex((statement) => /\bbegin\s+atomic\b/i.test(statement));
  return statements.some((statement, index) => (body < 0 || index <= body) && CONTROL.test(statement));
}

/** The statements of a text, each without its comments and quoted texts. */
function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let statement = '';
  let at = 0;
  while (at < text.length) {
    MARKS.lastIndex = at;
    const mark = MARKS.exec(text);
    if (mark === null) break;
    const [found] = mark;
    statement += `${text.slice(at, mark.index)} `;
    if (found === ';') {
      statements.push(statement);
      statement = '';
    }
    at = endOf(text, found, mark.index + found.length);
  }
  return [...statements, statement + text.slice(at)];
}

/** Where what begins with a mark ends: behind its end, or with the text. */
function endOf(text: string, mark: string, start: number): number {
  if (mark === ';') return start;
  if (mark === '/*') return endOfComment(text, start);
  if (/^e'$/i.test(mark)) return endOfEscaped(text, start);
  const end = mark === '--' ? '\n' : mark;
  const found = text.indexOf(end, start);
  return found < 0 ? text.length : found + end.length;
}

/** Comments nest in Postgres. */
function endOfComment(text: string, start: number): number {
  let depth = 1;
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1;
    if (depth === 0) return start + index + mark.length;
  }
  return text.length;
}

function endOfEscaped(text: string, start: number): number {
  for (const { 0: mark, index } of text.slice(start).matchAll(/\\[\s\S]|''|'/g)) {
    if (mark === "'") return start + index + 1;
  }
  return text.length;
}
