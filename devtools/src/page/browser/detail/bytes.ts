export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Bytes taken together: a call with too many arguments throws. */
const STEP = 0x2000;

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(text);
}

/** The text of bytes, or nothing where they are not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of bytes, with � for invalid UTF-8. */
export const lossyUtf8 = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Whether a text is likely JSON, by its first character. */
export const looksLikeJson = (text: string) => /^\s*[[{]/.test(text);

/** Bytes in a line of a dump: as many as fit a narrow panel. */
const WIDTH = 8;
const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
const ascii = (byte: number) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·');

/** A dump: lines with the offset, the bytes and their ASCII characters. */
export function hexDump(bytes: Uint8Array): string {
  return Array.from({ length: Math.ceil(bytes.length / WIDTH) }, (_, index) => {
    const part = bytes.subarray(index * WIDTH, (index + 1) * WIDTH);
    const cells = Array.from(part, (byte) => hex(byte, 2)).join(' ');
    return `${hex(index * WIDTH, 8)}  ${cells.padEnd(3 * WIDTH)} ${Array.from(part, ascii).join('')}`;
  }).join('\n');
}
