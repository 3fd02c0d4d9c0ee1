// Each function reads the text once. A regular expression anchored at the end would be tried at each position.

/** Removes all given endings from a text. */
export function withoutEnd(text: string, ...ends: readonly string[]): string {
  let end = text.length;
  for (;;) {
    const found = ends.find((each) => text.endsWith(each, end));
    if (found === undefined) return text.slice(0, end);
    end -= found.length;
  }
}

/** Removes the same quotes from both sides of a text. */
export function withoutQuotes(text: string): string {
  const quote = text.charAt(0);
  return text.length > 1 && '"\'`'.includes(quote) && text.endsWith(quote) ? text.slice(1, -1) : text;
}

/** The trimmed parts of a text between separators. */
export const parted = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Whether a value has the form of a timestamp: canonical decimal digits, 16 at most. */
export const isTimestamp = (value: unknown): value is string =>
  typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value);

/** A length of time in its largest unit, rounded: `50 min`, `31 years`. @param ms milliseconds */
export function ageText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3600;
  if (hours < 48) return `${Math.round(hours)} h`;
  return hours < 2 * 8766 ? `${Math.round(hours / 24)} days` : `${Math.round(hours / 8766)} years`;
}
