import { attempt, isRecord } from '../guards.js';
import type { AttemptResponse } from './delivery-record.js';
import { cut, printable } from './text-limits.js';

/** The text of an app's answer. */
export interface AnswerText {
  /** The whole text, for searching. */
  readonly all: string;
  /** The most informative lines, the best first: short, without markup and invisible characters. */
  readonly lines: readonly string[];
}

const LONGEST = 300;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };
/** Fields of JSON errors: Fastify, NestJS, problem details, API Gateway. */
const FIELDS = ['message', 'error', 'detail', 'title', 'errorMessage', 'error_description', 'code'];

/**
 * Reads an answer as JSON, HTML or plain text, whatever its Content-Type.
 *
 * @param hide Removes secrets from a text. Called before a text is cut, because a part of a secret must not be shown
 * either.
 */
export function answerText({ headers, bodyBase64 }: AttemptResponse, hide: (text: string) => string): AnswerText {
  const body = Buffer.from(bodyBase64, 'base64').toString('utf8');
  const all = `${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n${body}`;
  const json = jsonOf(body);
  const found = json === undefined ? linesOf(body) : textsOf(json);
  return { all, lines: found.map((text) => asLine(hide(text))).filter((line) => line !== '') };
}

const asLine = (text: string) => cut(printable(text.replace(/\s+/g, ' ').trim()), LONGEST);

const jsonOf = (text: string): unknown => attempt(() => JSON.parse(text));

/** The texts of an error in JSON; of nested errors too, as in `{ error: { message } }`. */
function textsOf(json: unknown, depth = 0): string[] {
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return depth > 2 ? [] : json.slice(0, 3).flatMap((each) => textsOf(each, depth + 1));
  if (!isRecord(json) || depth > 2) return [];
  return FIELDS.flatMap((field) => textsOf(json[field], depth + 1));
}

/** Informative lines of an HTML page, the best first; undefined for other text. */
export function htmlText(text: string): string | undefined {
  return isHtml(text)
    ? linesOf(text)
        .map(asLine)
        .find((line) => line !== '')
    : undefined;
}

const isHtml = (text: string) => /^\s*<(?:!doctype|html|head|body|pre|h1)\b/i.test(text);

function linesOf(text: string): string[] {
  if (!isHtml(text)) return [text.trim().split(/[\r\n]/, 1)[0] as string];
  const next = jsonOf(/<script id="__NEXT_DATA__"[^>]*>([^<]*)/.exec(text)?.[1] ?? '');
  const ofNext = isRecord(next) ? textsOf(next.err) : [];
  // The first line of a stack trace is the message.
  const pre = inside(text, 'pre').split('\n', 1)[0] as string;
  return [...ofNext, pre, inside(text, 'title'), inside(text, 'h1')];
}

/** The text of the first element with this tag. */
function inside(html: string, name: string): string {
  const lower = html.toLowerCase();
  const start = lower.search(new RegExp(`<${name}[\\s>]`));
  if (start < 0) return '';
  const end = lower.indexOf(`</${name}`, start);
  return html
    .slice(start, end < 0 ? undefined : end)
    .replace(/<br\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, entity);
}

function entity(whole: string, decimal?: string, hex?: string, name = ''): string {
  const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  return ENTITIES[name.toLowerCase()] ?? whole;
}
