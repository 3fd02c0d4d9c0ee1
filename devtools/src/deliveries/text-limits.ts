/** A text in full, or its beginning with an ellipsis where it has more characters than that. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}

/** Cuts texts, each to its own bound, until they have had this many characters together: what follows is cut short. */
export function budget(characters: number): (text: string, most: number) => string {
  let left = characters;
  return (text, most) => {
    // A little is always left, so that what comes late is still named.
    const kept = cut(text, Math.min(most, Math.max(left, 20)));
    left -= kept.length;
    return kept;
  };
}

/** Whatever JSON can hold, as a text: text as it is, all else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
