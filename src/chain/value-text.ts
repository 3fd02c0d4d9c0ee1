import type { Codec } from '../evm/codec.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text as Go writes it to JSON: one U+FFFD per byte that is not UTF-8. */
export function goText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // A lenient decoder writes one U+FFFD for several bytes that could begin a character, so decode one by one.
  }
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    parts.push(length === 0 ? '\uFFFD' : utf8.decode(bytes.subarray(at, at + length)));
    at += length || 1;
  }
  return parts.join('');
}

/** Number of bytes of the UTF-8 character at `at`; 0 if it is invalid (RFC 3629, section 4). */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  // Excludes overlong forms, surrogates, and code points above the last one.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let step = 1; step < length; step++) {
    const byte = bytes[at + step] ?? 0;
    if (byte < (step === 1 ? least : 0x80) || byte > (step === 1 ? most : 0xbf)) return 0;
  }
  return length;
}

/**
 * A value in its wire format: integers in decimal digits, checksummed addresses, bytes in hex, `true` or `false`, text
 * unchanged. Arrays and tuples are JSON text of such strings, so that parsing it loses no digit of an integer; a tuple
 * is an object, or an array if a component has no name.
 *
 * @param value The value that the codec read.
 */
export function valueText({ partsOf }: Codec, value: unknown): string {
  if (!partsOf) return String(value);
  const parts = partsOf(value);
  const texts = parts.map(({ codec, value, name }) => {
    const text = codec.partsOf ? valueText(codec, value) : JSON.stringify(valueText(codec, value));
    return name === undefined ? text : `${JSON.stringify(name)}:${text}`;
  });
  return parts[0]?.name === undefined ? `[${texts.join(',')}]` : `{${texts.join(',')}}`;
}
