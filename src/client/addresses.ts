import { ConfigError } from '../errors.js';

const API = '/api/v0';
const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\]|localhost|.+\.localhost)$/;

function parse(text: unknown): URL | undefined {
  if (typeof text !== 'string' || /\s/.test(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Whether nobody else can read along, or be meant by it. */
function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** Where the API is. `isLocal`: on this machine. */
export interface ApiAddress {
  /** With `/api/v0`, without a slash behind it. */
  readonly url: string;
  /** What tells this service from others: host, port unless it is the scheme's own, and path; with or without TLS. */
  readonly service: string;
  readonly isLocal: boolean;
}

/** Reads the option baseUrl. Throws ConfigError where the API key would travel in the clear or elsewhere. */
export function apiAddress(baseUrl: unknown): ApiAddress {
  const url = parse(baseUrl);
  const isLocal = url !== undefined && isLoopback(url);
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) {
    throw new ConfigError('Option baseUrl must be an https: URL; http: is for a service on this machine alone.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('Option baseUrl must hold no user name, password, query or fragment.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  const root = path.endsWith(API) ? path.slice(0, -API.length) : path;
  return { url: url.origin + root + API, service: url.host + root, isLocal };
}

/** Throws ConfigError unless deliveries may be sent to `url` (spec section 2.1: HTTPS). */
export function checkWebhookUrl(url: unknown, api: ApiAddress): asserts url is string {
  const parsed = parse(url);
  if (parsed?.protocol === 'https:') return;
  if (parsed?.protocol === 'http:' && api.isLocal && isLoopback(parsed)) return;
  throw new ConfigError(
    "A webhook's url must be an https: URL; http: is for a loopback host, and for a service on this machine alone.",
  );
}

/** Whether two texts are the same URL, however they spell it. */
export function isSameUrl(a: string, b: string): boolean {
  return a === b || (parse(a)?.href ?? a) === (parse(b)?.href ?? b);
}
