import wrapAnsi from 'wrap-ansi';

const INDENT = '  ';

/** A text as indented lines, no wider than a terminal. */
export function wrapped(text: string, columns: number): string {
  return wrapAnsi(text, Math.max(20, columns - INDENT.length - 1), { hard: true })
    .split('\n')
    .map((line) => `${INDENT}${line}`)
    .join('\n');
}
