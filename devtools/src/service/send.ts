import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { networkReason } from '../network-errors.js';
import type { AttemptResponse, HeaderLine } from './attempt.js';
import { type Exchanged, type ExchangeOptions, exchange } from './exchange.js';

/** The result of one POST. */
export interface Answer extends Omit<Exchanged, 'response'> {
  /** Why there was no response, or what is wrong with it. */
  readonly reason?: string | undefined;
  /** The start of the response. */
  readonly response?: AttemptResponse | undefined;
}

/** One POST. */
export interface Post extends Omit<ExchangeOptions, 'captureMs'> {
  readonly url: string;
  /** Sent in this order and spelling. */
  readonly headers: readonly HeaderLine[];
  /** Aborts the request; ignore the result then. */
  readonly signal: AbortSignal;
}

export type Sender = ReturnType<typeof createSender>;

/** Sends POSTs over keep-alive connections. */
export function createSender() {
  const [http, https] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];
  return {
    /** Never rejects. Does not follow redirects, and reads only the start of a response body. */
    async send({ url, headers, signal, ...post }: Post): Promise<Answer> {
      const target = new URL(url);
      const [request, agent] = target.protocol === 'https:' ? [httpsRequest, https] : [httpRequest, http];
      const open = (isAgain: boolean) => {
        const options = {
          method: 'POST',
          agent: isAgain ? false : agent,
          headers: Object.fromEntries(headers),
          signal,
        };
        const opened = request(target, options);
        // Go's HTTP client does not send one.
        opened.removeHeader('Connection');
        return opened;
      };
      const { response, ...answer } = await exchange(open, { ...post, captureMs: post.timeoutMs });
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
    /** Closes all connections. */
    close(): void {
      http.destroy();
      https.destroy();
    },
  };
}
