import { ConfigError } from '../errors.js';

/** Where a node is. */
export interface RpcUrl {
  /** What is fetched, without user and password: fetch takes none there. */
  readonly href: string;
  /** The part that may be told: the rest may be a key. */
  readonly origin: string;
  /** User and password, for `Authorization`. */
  readonly authorization: string | undefined;
  /** Text without any part of the URL that may be a key. Nodes quote them in their messages. */
  scrub(text: string): string;
}

/** Shorter parts, such as `v3`, are no keys. */
const SHORTEST_KEY = 6;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is no URL of a node. */
export function rpcUrlOf(text: unknown): RpcUrl {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  // Not quoted: it may be a key with a typing error in front.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new ConfigError('rpcUrl must be the http: or https: URL of a node, such as http://127.0.0.1:8545.');
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const paths = url.pathname.split('/');
  const keys = [url.href, url.pathname, url.search, user, password, ...paths, ...url.searchParams.values()]
    .flatMap((part) => [part, decoded(part)])
    .filter(({ length }) => length >= SHORTEST_KEY)
    .sort((one, other) => other.length - one.length);
  url.username = '';
  url.password = '';
  return {
    href: url.href,
    origin: url.origin,
    authorization: user || password ? `Basic ${btoa(`${user}:${password}`)}` : undefined,
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
