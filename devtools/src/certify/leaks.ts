import type { Answer } from '../post.js';
import type { Bench, Request } from './bench.js';

/** The traces of Node, and of Python. */
const TRACE = /\bat [^\n<]{1,300}:\d+:\d+|Traceback \(most recent call last\)/;
/** A shorter secret occurs in ordinary text. */
const SHORTEST = 6;

/** The forms in which a text may occur in an answer. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    bytes.toString('base64'),
    bytes.toString('hex'),
  ];
}

/** What an answer to a forged request tells a stranger; undefined if nothing. */
export function leakOf(answer: Answer, request: Request, { secret, digest }: Bench): string | undefined {
  const text = [...(answer.headers ?? []).flat(), answer.body].join('\n');
  if (secret.length >= SHORTEST && forms(secret).some((form) => text.includes(form))) return 'the secret';
  const timestamps = [request.timestamp ?? ''].flat();
  const sent = [request.signature ?? ''].flat().join('\n').toLowerCase();
  for (const timestamp of [...timestamps, timestamps.join(', ')]) {
    const expected = digest(request.body, timestamp);
    const base64 = Buffer.from(expected, 'hex').toString('base64');
    if (!sent.includes(expected) && (text.toLowerCase().includes(expected) || text.includes(base64)))
      return 'the expected signature';
  }
  return TRACE.test(text) ? 'a stack trace' : undefined;
}
