import type { Codec } from '../evm/codec.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The characters of UTF-8 (RFC 3629, section 4) in a string of bytes; the group is another byte. */
const CHARACTERS =
  /(?:[^\x80-\xff]|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2})|(.)/gs;

/** Text as Go writes it to JSON: one U+FFFD per byte that is not UTF-8. */
export function goText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // A lenient decoder writes one U+FFFD for several bytes that could begin a character.
    const byteText = bytes.reduce((text, byte) => text + String.fromCharCode(byte), '');
    const valid = byteText.replace(CHARACTERS, (character, other) =>
      other === undefined ? character : '\xef\xbf\xbd',
    );
    return utf8.decode(Uint8Array.from(valid, (byte) => byte.charCodeAt(0)));
  }
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
