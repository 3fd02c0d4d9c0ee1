import type { Fault, Finding } from '../explain/finding.js';
import { certain, fault, likely } from '../explain/finding.js';
import { answerText } from './answer-text.js';
import { codeTexts, fixOf } from './code-fixes.js';
import type { Attempt, HeaderLine } from './delivery-record.js';
import { headerOf } from './headers.js';
import { cut, printable } from './text-limits.js';

/** Context for reading an app's answer. */
export interface AboutApp {
  /** The URL of the delivery. */
  readonly url?: string | undefined;
  /** Secrets that must not appear in a finding. */
  readonly secrets?: readonly string[] | undefined;
}

/** Texts that only repeat the status. */
const GENERIC =
  /^(?:\d{3}[\s:.-]*)?(?:error|internal server error|server error|bad gateway|service unavailable|gateway time-?out|bad request|unauthorized|forbidden|not found|unprocessable (?:entity|content)|application error|ok)?[.!]?$/i;
/** Replaces a secret. */
const HIDDEN = '[secret]';
const CODE = /ERR_WEBHOOK_[A-Z_]{2,60}/;
const CSRF = /csrf|xsrf|authenticity[_ ]token|forgery protection/i;
const LOGIN = /\blog[- ]?in\b|\bsign[- ]?in\b|\bauth\b|\bsso\b|oauth/i;

/** Findings from the app's answer to a refused delivery, the likeliest cause first. */
export function answerFindings(attempt: Attempt, { url, secrets = [] }: AboutApp = {}): Finding[] {
  const { status, response } = attempt;
  if (status === undefined || (status >= 200 && status < 300)) return [];
  const given = secrets.filter((secret) => secret !== '');
  const hide = (text: string) => given.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  const { all, lines } = response ? answerText(response, hide) : { all: '', lines: [] };
  const said = lines.filter((line) => !GENERIC.test(line));
  const code = codeIn(all);
  if (code) return [certain(ofCode(code, said))];
  const ofStatus = findingOfStatus(attempt, all, url, hide);
  const [first] = said;
  const tells = first !== undefined && status >= 400 && ofStatus === undefined;
  return [ofStatus ?? [], tells ? likely(ofText(status, first)) : []].flat();
}

/** The error code of this library that an answer contains or describes. */
function codeIn(all: string): string | undefined {
  return CODE.exec(all)?.[0] ?? codeTexts.find(([text]) => all.includes(text))?.[1];
}

function ofCode(code: string, said: readonly string[]): Fault {
  const line = said.find((each) => each !== code);
  return fault('app-said', `The app answered ${code}${line ? `: ${line}` : '.'}`, fixOf(code));
}

const ofText = (status: number, line: string) =>
  fault(
    'app-said',
    `The app answered ${status}: ${line}`,
    "Look at the app's log, and at the whole answer on the page. The text comes from the app.",
  );

/** A finding from the status. */
function findingOfStatus(
  { status = 0, response }: Attempt,
  all: string,
  url: string | undefined,
  hide: (text: string) => string,
): Finding | undefined {
  const headers = (response?.headers ?? []).map(([name, value]): HeaderLine => [name, hide(value)]);
  const path = pathOf(url);
  const location = headerOf(headers, 'Location');
  const asksForLogin = headerOf(headers, 'WWW-Authenticate') !== undefined;
  if (status >= 300 && status < 400) return redirected(status, location);
  if (status === 401) return asksForLogin || LOGIN.test(all) ? likely(behindLogin(status)) : undefined;
  if ((status === 403 || status === 419 || status === 422) && CSRF.test(all)) return likely(csrf(status));
  if (status === 404) return likely(notFound(path));
  if (status === 405) return likely(wrongMethod(path));
  if (status === 413) return likely(tooLarge);
  if (status === 415) return likely(wrongType);
  if (status === 429) return likely(tooMany(headerOf(headers, 'Retry-After')));
  return undefined;
}

function redirected(status: number, location: string | undefined): Finding {
  if (location !== undefined && LOGIN.test(location)) return likely(behindLogin(status));
  const to = location === undefined ? 'elsewhere' : `to ${cut(printable(location), 200)}`;
  return certain(
    fault(
      'redirected',
      `The app redirects ${to}, and senders of webhooks do not follow redirects.`,
      'Use the final URL: check http or https, the host, and a slash at the end of the path.',
    ),
  );
}

/** The path of a URL, to show. */
function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return 'this path';
  return cut(printable(new URL(url).pathname), 200);
}

const behindLogin = (status: number) =>
  fault(
    'behind-login',
    `The app asks for a login (${status}): a middleware runs before the webhook route.`,
    'Exclude the route from authentication. The signature authenticates deliveries.',
  );

const csrf = (status: number) =>
  fault(
    'csrf-protection',
    `The app's CSRF protection refused the delivery (${status}).`,
    'Exclude the webhook route from CSRF protection. The signature authenticates deliveries.',
  );

const notFound = (path: string) =>
  fault(
    'route-not-found',
    `Nothing is mounted at ${path} of the app: check path and prefix.`,
    'Compare the path of the URL with the route in the app, including the prefix of its router, such as /api.',
  );

const wrongMethod = (path: string) =>
  fault(
    'method-not-allowed',
    `The app has ${path}, but not for POST.`,
    'Register the handler for POST: app.post(path, …), or `export const POST = …` in Next.js and similar.',
  );

const tooLarge = fault(
  'app-limits-size',
  'The delivery is larger than what the app, its framework or a proxy in front accepts (413).',
  "Raise the limit: the receiver's maxBodyBytes or maxEvents, express.json({ limit: '10mb' }), bodyLimit of Fastify, client_max_body_size of nginx.",
);

const wrongType = fault(
  'content-type-refused',
  'The app does not accept the Content-Type or Content-Encoding of the delivery (415).',
  'Have the route accept application/json, and leave the body unparsed there.',
);

const tooMany = (retryAfter: string | undefined) =>
  fault(
    'rate-limited',
    `The app limits its rate (429${retryAfter === undefined ? '' : `, Retry-After ${cut(printable(retryAfter), 40)}`}).`,
    'Exclude the webhook route from rate limiting, or raise its limit.',
  );
