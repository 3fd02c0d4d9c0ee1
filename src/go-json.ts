/** JSON as Go writes it: compact, with its escapes. Parsed and serialised again in JavaScript it has other bytes. */
export function goJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, escaped);
}
