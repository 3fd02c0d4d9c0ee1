/** Text that every database accepts and people can read: NUL and lone surrogates are replaced. */
export function readableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(/\p{Cs}/gu, '\ufffd');
}
