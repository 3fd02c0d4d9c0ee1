import { WebhookError } from '../errors.js';
import { optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import { readBounded } from '../internal/read-bounded.js';

/** The URL of a node. */
export interface RpcUrl {
  /** Without user and password, which fetch refuses. */
  readonly href: string;
  /** The part for messages: the rest may contain a key. */
  readonly origin: string;
  /** `Authorization` header made of user and password. */
  readonly authorization: string | undefined;
  /** Removes the parts of the URL that may be a key from text. Nodes quote them in their messages. */
  scrub(text: string): string;
}

/** Shorter parts, such as `v3`, are not keys. */
const SHORTEST_KEY = 6;

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not an http: or https: URL. */
export function rpcUrlOf(text: unknown): RpcUrl {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  // Not quoted: it may contain a key.
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw optionError('rpcUrl', 'the http: or https: URL of a node, such as http://127.0.0.1:8545', text);
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

/** Code of {@link RpcError}. */
export type RpcErrorCode = 'ERR_WEBHOOK_RPC';

/**
 * A node did not answer, refused a call, or sent an invalid answer. The message names the call and the node's origin, and
 * never the rest of its URL, which may contain a key.
 */
export class RpcError extends WebhookError<RpcErrorCode> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('ERR_WEBHOOK_RPC', message, options);
    // As text: bundlers shorten the names of classes.
    this.name = 'RpcError';
  }
}

/** Calls a method of a node. Throws only {@link RpcError}. */
export type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>;

export interface RpcOptions {
  readonly timeoutMs: number;
  /** Doubles with each retry. */
  readonly retryDelayMs: number;
  readonly maxBytes: number;
  /** Aborts the calls in progress. */
  readonly signal: AbortSignal;
}

const RETRIES = 2;
const LONGEST_DELAY_MS = 30_000;
/** Maximum length of a node's error message in ours. */
const LONGEST_MESSAGE = 300;

/** JSON-RPC 2.0 over HTTP. Calls to an unreachable or busy node are retried. */
export function createRpc(url: RpcUrl, { timeoutMs, retryDelayMs, maxBytes, signal }: RpcOptions): Rpc {
  let lastId = 0;
  // One listener for all calls: Node warns of a signal with many.
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

  /** The text of a node's answer; undefined when it is too long. */
  async function ask(json: object, signal: AbortSignal): Promise<string | undefined> {
    // Imported late: ky touches fetch's globals, which take Node longer to load than everything else here.
    const { HTTPError, ky } = await import('../internal/ky.js');
    try {
      // A redirect could send the key to another host. The signal also bounds the time to read the body.
      const response = await ky.post(url.href, { json, headers, retry, signal, timeout: false, redirect: 'error' });
      return textOf(await readBounded(response, maxBytes));
    } catch (error) {
      if (!(error instanceof HTTPError)) throw error;
      const said = messageOf(textOf(await readBounded(error.response, maxBytes)));
      throw new RpcError(`HTTP ${error.response.status}${said}.`);
    }
  }

  function messageOf(text: string | undefined): string {
    const answer = parse(text);
    return isRecord(answer) && isRecord(answer.error) ? said(answer.error) : '';
  }

  /** The node's message as JSON text, without control characters. */
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
      if (signal.aborted) throw fail('aborted, as the watcher is closing.');
      throw fail(late.signal.aborted ? `no answer within ${timeoutMs} ms.` : reasonOf(error));
    } finally {
      clearTimeout(timer);
      open.delete(late);
    }
    if (text === undefined) throw fail(`the answer is longer than ${maxBytes} bytes.`);
    const answer = parse(text);
    if (!isRecord(answer)) throw fail('the answer is not JSON-RPC. Is this the URL of a node?');
    if (isRecord(answer.error)) throw fail(`the node returned an error${said(answer.error)}.`);
    if (answer.id !== id || answer.result === undefined)
      throw fail('the answer belongs to another call, or has no result.');
    return answer.result;
  };
}

const utf8 = new TextDecoder();

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && utf8.decode(bytes);
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Why fetch failed: only the code, as its messages may contain the URL. */
function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^\w+$/.test(code)) return `the node is unreachable (${code}). Is it running?`;
  }
  return 'the node is unreachable. Is it running?';
}
