import { optionError } from '../internal/check-options.js';

/** The URL of a node. */
export interface RpcUrl {
  /** Without user and password, which fetch rejects. */
  readonly href: string;
  /** The part for messages: the rest may contain a key. */
  readonly origin: string;
  /** `Authorization` header made of user and password. */
  readonly authorization: string | undefined;
  /** Removes parts of the URL that may be a key from a text. Nodes quote them in their messages. */
  scrub(text: string): string;
}

/** Shorter parts, such as `v3`, are not keys. */
const SHORTEST_KEY = 6;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when the value is not an http: or https: URL. */
export function rpcUrlOf(text: unknown): RpcUrl {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  // Not quoted: it may contain a key.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw optionError('rpcUrl', 'the http: or https: URL of a node, such as http://127.0.0.1:8545', text);
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const paths = url.pathname.split('/');
  // Of the UTF-8 bytes, because `btoa` accepts only Latin-1.
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  const authorization = user || password ? btoa(String.fromCharCode(...bytes)) : '';
  const keys = [
    authorization,
    url.href,
    url.pathname,
    url.search,
    url.username,
    url.password,
    ...paths,
    ...url.searchParams.values(),
  ]
    .flatMap((part) => [part, decoded(part)])
    .filter(({ length }) => length >= SHORTEST_KEY)
    .sort((one, other) => other.length - one.length);
  url.username = '';
  url.password = '';
  return {
    href: url.href,
    origin: url.origin,
    authorization: authorization ? `Basic ${authorization}` : undefined,
    scrub: (from) => keys.reduce((scrubbed, key) => scrubbed.replaceAll(key, '…'), from),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
