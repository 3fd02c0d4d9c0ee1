import type { AbiParameter } from 'abitype';

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

/** The type of an array's elements; undefined if it is not an array. */
export function elementOf(parameter: AbiParameter): AbiParameter | undefined {
  const [, type] = /^(.*)\[\d*\]$/s.exec(parameter.type) ?? [];
  return type === undefined ? undefined : { ...parameter, type };
}

/**
 * A value in its wire format: integers in decimal digits, checksummed addresses, bytes in hex, `true` or `false`, text
 * unchanged. Arrays and tuples are JSON text of such strings, so that parsing it loses no digit of an integer; a tuple
 * is an object, or an array if a component has no name.
 *
 * @param value The value that the parameter's codec read.
 */
export function valueText(parameter: AbiParameter, value: unknown): string {
  const element = elementOf(parameter);
  if (element) return `[${(value as unknown[]).map((each) => jsonText(element, each)).join(',')}]`;
  return 'components' in parameter ? tupleText(parameter.components, value as object) : String(value);
}

function jsonText(parameter: AbiParameter, value: unknown): string {
  const text = valueText(parameter, value);
  const isJson = 'components' in parameter || elementOf(parameter) !== undefined;
  return isJson ? text : JSON.stringify(text);
}

function tupleText(components: readonly AbiParameter[], value: object): string {
  const isArray = Array.isArray(value);
  const parts = components.map((component, at) =>
    jsonText(component, (value as Record<string, unknown>)[isArray ? at : (component.name as string)]),
  );
  if (isArray) return `[${parts.join(',')}]`;
  return `{${components.map(({ name }, at) => `${JSON.stringify(name)}:${parts[at]}`).join(',')}}`;
}
