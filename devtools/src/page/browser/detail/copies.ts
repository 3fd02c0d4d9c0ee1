import type { Detail } from '../types.js';

/** Headers that curl sets itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'expect']);

// A terminal would interpret these when the command is pasted. Line feeds and tabs are harmless in quotes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds control characters
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

/** A text as a literal of JavaScript. No character of it ends the line or hides. */
const literal = (text: string) =>
  JSON.stringify(text).replace(
    /[\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );

/**
 * A test for vitest that sends the events of a delivery, signed with the app's secret, to the app. It expects the status
 * of an accepted delivery, and 200 of every other.
 * @param text the body; undefined if it is not text
 * @returns the code; undefined if the body is not a JSON array
 */
export function testOf(
  { id, verdict, status }: Pick<Detail, 'id' | 'verdict' | 'status'>,
  url: string,
  text: string | undefined,
): string | undefined {
  try {
    if (text === undefined || !Array.isArray(JSON.parse(text))) return undefined;
  } catch {
    return undefined;
  }
  const expected = verdict === 'accepted' ? status : 200;
  return `import { createTestDelivery } from 'event-webhook-receiver/testing';
import { expect, it } from 'vitest';

const secret = process.env.WEBHOOK_SECRET ?? '';
const events = JSON.parse(
  ${literal(text)},
);

it(${literal(`answers delivery ${id} with ${expected}`)}, async () => {
  const delivery = createTestDelivery(events, { secret });
  const response = await delivery.send(${literal(url)});
  expect(response.status).toBe(${expected});
});
`;
}
