import { Agent, request as httpRequest } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { networkReason } from '../network-errors.js';
import type { AttemptResponse, HeaderLine } from './attempt.js';
import { type Exchanged, exchange } from './exchange.js';

/** The result of one POST. */
export interface Answer extends Omit<Exchanged, 'response'> {
  /** Why there was no response, or what is wrong with it. */
  readonly reason?: string | undefined;
  /** The start of the response. */
  readonly response?: AttemptResponse | undefined;
}

/** One POST. */
export interface Post {
  readonly url: string;
  /** Sent in this order and spelling. */
  readonly headers: readonly HeaderLine[];
  readonly body: Uint8Array;
  /** Time limit of the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the request; ignore the result then. */
  readonly signal: AbortSignal;
  readonly dropHalfWay?: boolean | undefined;
}

/** Sends POSTs over keep-alive connections. */
export interface Sender {
  /** Never rejects. Does not follow redirects, and reads only the start of a response body. */
  send(post: Post): Promise<Answer>;
  /** Closes all connections. */
  close(): void;
}

/** Shorter than the keep-alive timeout of common servers. */
const IDLE_MS = 2000;

export function createSender(): Sender {
  const http = new Agent({ keepAlive: true, timeout: IDLE_MS });
  let https: Promise<{ request: typeof httpRequest; agent: HttpsAgent }> | undefined;

  // Loaded on first use: most receivers under development use http.
  const secure = () => {
    https ??= import('node:https').then((module) => {
      return { request: module.request, agent: new module.Agent({ keepAlive: true, timeout: IDLE_MS }) };
    });
    return https;
  };

  return {
    async send(post) {
      const target = new URL(post.url);
      const { request, agent } = target.protocol === 'https:' ? await secure() : { request: httpRequest, agent: http };
      const { timeoutMs, signal } = post;
      const open = () => {
        const headers = Object.fromEntries(post.headers);
        const opened = request(target, { method: 'POST', agent, headers, signal });
        // Go's HTTP client does not send one.
        opened.removeHeader('Connection');
        return opened;
      };
      const { response, ...answer } = await exchange(open, { ...post, captureMs: timeoutMs });
      const { status = 0, code } = answer;
      const isRedirect = status >= 300 && status < 400;
      return {
        ...answer,
        durationMs: Math.round(answer.durationMs),
        ...(isRedirect && { reason: 'redirects are not followed', code: 'REDIRECT' }),
        ...(code !== undefined && { reason: networkReason(code) }),
        response: await response,
      };
    },
    close() {
      http.destroy();
      https?.then(({ agent }) => agent.destroy()).catch(() => {});
    },
  };
}
