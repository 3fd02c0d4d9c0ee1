/** A text cut to a number of characters, with an ellipsis. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** Control and format characters, lone surrogates, separators of lines, and letters without a shape. */
export const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Replaces invisible characters in untrusted text, so that it cannot hide or reorder the text around it. */
export const printable = (text: string): string => text.replace(UNSEEN, '\u{fffd}');

/** Returns a function that cuts each text to its limit, or to what is left of this many characters for all texts. */
export function budget(characters: number): (text: string, most: number) => string {
  let left = characters;
  return (text, most) => {
    // Always keeps a few characters, so that late texts remain recognizable.
    const kept = cut(text, Math.min(most, Math.max(left, 20)));
    left -= kept.length;
    return kept;
  };
}

/** A JSON value as text: strings unchanged, other values as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** The number of items beyond a limit; undefined if there are none. */
export function beyond(all: readonly unknown[], most: number): number | undefined {
  return all.length > most ? all.length - most : undefined;
}
