import { ConfigError } from '../errors.js';
import { optionError } from '../internal/check-options.js';

const API = '/api/v0';
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:.+\.)?localhost)$/i;

/** Whether a host name or address is a loopback one: localhost, `*.localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

function parse(text: unknown): URL | undefined {
  if (typeof text !== 'string' || /\s/.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The API's URL. `isLocal`: on a loopback host. */
export interface ApiAddress {
  /** With `/api/v0`, without a trailing slash. */
  readonly url: string;
  /** Identifies the service, with or without TLS: host, port unless it is the scheme's default, and path. */
  readonly service: string;
  readonly isLocal: boolean;
}

/** Reads the option `baseUrl`. Throws ConfigError for a URL that would expose the API key. */
export function apiAddress(baseUrl: unknown): ApiAddress {
  const url = parse(baseUrl);
  const isLocal = url !== undefined && isLoopback(url.hostname);
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) {
    throw optionError('baseUrl', 'an https: URL, or an http: URL of a loopback host', baseUrl);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('`baseUrl` must not contain a user name, password, query or fragment.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const root = path.endsWith(API) ? path.slice(0, -API.length) : path;
  return { url: url.origin + root + API, service: url.host + root, isLocal };
}

/** Throws ConfigError unless deliveries may be sent to `url` (spec section 2.1: HTTPS). */
export function checkWebhookUrl(url: unknown, api: ApiAddress): asserts url is string {
  const parsed = parse(url);
  if (parsed?.protocol === 'https:') return;
  if (parsed?.protocol === 'http:' && api.isLocal && isLoopback(parsed.hostname)) return;
  throw optionError('url', 'an https: URL, or an http: URL of a loopback host if the service runs on one too', url);
}

/** Whether two texts are the same URL, in any notation. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (parse(a)?.href ?? a) === (parse(b)?.href ?? b);
}
