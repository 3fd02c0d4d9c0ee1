import type { Detail } from '../types.js';

/** Headers that curl sets itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'expect']);

// A terminal would interpret these when the command is pasted. Line feeds and tabs are harmless in quotes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A command that sends the same bytes and headers. It contains no secret, so it sends the old signature. Bytes that a
 * command line cannot contain are encoded in base64; headers with such bytes are omitted.
 * @param text the body, where it is UTF-8
 */
export function curlOf(detail: Pick<Detail, 'headers' | 'bodyBase64'>, url: string, text: string | undefined): string {
  const headers = detail.headers.filter(([name, value]) => !OWN.has(name.toLowerCase()) && !CONTROL.test(value));
  // curl sends an empty header for `-H 'Name;'`.
  const lines = headers.map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  const plain = text !== undefined && !CONTROL.test(text) && !text.startsWith('@') && text.length < 100_000;
  // -g: otherwise curl expands brackets and braces, in a path that a stranger chose, to many URLs.
  const command = ['curl -g -i -X POST', ...lines];
  if (plain) return [...command, `--data-binary ${quoted(text)}`, quoted(url)].join(' \\\n  ');
  const send = [...command, '--data-binary @-', quoted(url)].join(' \\\n  ');
  return `base64 -d <<'BODY' | ${send}\n${detail.bodyBase64.replace(/.{76}/g, '$&\n')}\nBODY\n`;
}
