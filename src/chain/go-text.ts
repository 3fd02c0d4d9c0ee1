const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text as a program in Go writes it to JSON: one U+FFFD for each byte that is no UTF-8. */
export function goText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // Byte by byte then: a decoder that forgives writes one U+FFFD for as many bytes as could have begun a character.
  }
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    parts.push(length === 0 ? '\uFFFD' : utf8.decode(bytes.subarray(at, at + length)));
    at += length || 1;
  }
  return parts.join('');
}

/** How many bytes the character has that begins there; 0 when none does (RFC 3629, section 4). */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  // Neither what has a shorter form, nor surrogates, nor what is behind the last character.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let step = 1; step < length; step++) {
    const byte = bytes[at + step] ?? 0;
    if (byte < (step === 1 ? least : 0x80) || byte > (step === 1 ? most : 0xbf)) return 0;
  }
  return length;
}
