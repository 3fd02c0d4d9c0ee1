import ky, { HTTPError } from 'ky';
import { ConfigError, WebhookError } from '../errors.js';
import { isRecord } from '../internal/guards.js';
import { readBounded } from './read-bounded.js';

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

/**
 * A node does not answer, refuses, or answers what cannot be. The message names the call and the node's origin: the rest
 * of its URL may be a key.
 */
export class RpcError extends WebhookError<'ERR_WEBHOOK_RPC'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('ERR_WEBHOOK_RPC', message, options);
    // As text: bundlers shorten the names of classes.
    this.name = 'RpcError';
  }
}

/** Calls a method of a node. Throws {@link RpcError} alone. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

export interface RpcOptions {
  readonly timeoutMs: number;
  /** Doubles with every try. */
  readonly retryDelayMs: number;
  readonly maxBytes: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

const RETRIES = 2;
const LONGEST_DELAY_MS = 30_000;
/** So much of what a node says of an error is told. */
const LONGEST_MESSAGE = 300;

/** JSON-RPC 2.0 over HTTP. A node that cannot be reached, or is busy, is asked again. */
export function createRpc(url: RpcUrl, { timeoutMs, retryDelayMs, maxBytes, signal }: RpcOptions): Rpc {
  let lastId = 0;
  // One listener for all that is under way: Node warns of a signal with many.
  const open = new Set<AbortController>();
  signal.addEventListener('abort', () => {
    for (const each of open) each.abort();
  });

  const headers = url.authorization === undefined ? {} : { authorization: url.authorization };
  const retry = {
    limit: RETRIES,
    methods: ['post' as const],
    statusCodes: [408, 429, 502, 503, 504],
    delay: (attempt: number) => Math.min(retryDelayMs * 2 ** (attempt - 1), LONGEST_DELAY_MS),
    maxRetryAfter: LONGEST_DELAY_MS,
  };

  /** What a node answers, within the time that it has for all of it. */
  async function ask(json: object, signal: AbortSignal): Promise<string | undefined> {
    try {
      // What may hold a key goes to no other host. The signal bounds the time, also that of the body.
      const response = await ky.post(url.href, { json, headers, retry, signal, timeout: false, redirect: 'error' });
      return await readBounded(response, maxBytes);
    } catch (error) {
      if (!(error instanceof HTTPError)) throw error;
      const said = messageOf(await readBounded(error.response, maxBytes));
      throw new RpcError(`HTTP ${error.response.status}${said}.`);
    }
  }

  function messageOf(text: string | undefined): string {
    const answer = parse(text);
    return isRecord(answer) && isRecord(answer.error) ? said(answer.error) : '';
  }

  /** As JSON text without what a terminal would obey. */
  function said({ code, message }: Record<string, unknown>): string {
    const number = Number.isSafeInteger(code) ? ` (${code})` : '';
    if (typeof message !== 'string') return number;
    const text = url.scrub(message).slice(0, LONGEST_MESSAGE).replace(/\p{C}/gu, '?');
    return `: ${JSON.stringify(text)}${number}`;
  }

  return async (method, params) => {
    const id = ++lastId;
    const fail = (what: string) => new RpcError(`${method} at ${url.origin} failed: ${what}`);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    open.add(late);
    if (signal.aborted) late.abort();
    let text: string | undefined;
    try {
      text = await ask({ jsonrpc: '2.0', id, method, params }, late.signal);
    } catch (error) {
      if (error instanceof RpcError) throw fail(error.message);
      if (signal.aborted) throw fail('it was ended.');
      throw fail(late.signal.aborted ? `no answer in ${timeoutMs} ms.` : reasonOf(error));
    } finally {
      clearTimeout(timer);
      open.delete(late);
    }
    if (text === undefined) throw fail(`the answer has more than ${maxBytes} bytes.`);
    const answer = parse(text);
    if (!isRecord(answer)) throw fail('the answer is no JSON-RPC. Is that the URL of a node?');
    if (isRecord(answer.error)) throw fail(`the node says no${said(answer.error)}.`);
    if (answer.id !== id || answer.result === undefined) throw fail('the answer is that of no call, or has no result.');
    return answer.result;
  };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Why fetch failed: the code alone, as its messages may hold the URL. */
function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^\w+$/.test(code)) return `it cannot be reached (${code}). Is the node running?`;
  }
  return 'it cannot be reached. Is the node running?';
}
