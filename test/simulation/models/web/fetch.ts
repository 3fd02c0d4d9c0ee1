import type { Process } from '../../kernel/process.js';
import { type RequestFaults, request } from '../../kernel/request.js';
import type { Server } from '../../kernel/server.js';
import { type SimulatedRequest, SimulatedResponse } from './http.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly text: string;
  /** How long after the headers the body arrives, in ms. Infinity: never. (Default: with them.) */
  readonly bodyAfterMs?: number | undefined;
}

/** What answers at a URL. */
export interface Site {
  readonly server: Server;
  /** Returns the answer to a body; undefined if it never answers. */
  answer(body: string): HttpAnswer | undefined;
}

const encoder = new TextEncoder();

/**
 * `fetch` as a process calls it: one request and one answer. It fails like undici's: with a TypeError whose cause has a code
 * when the connection breaks, and with an AbortError when the signal is aborted, also while the body is read. It leaves out
 * redirects, cookies and the reuse of connections.
 */
export function createFetch(process: Process, sites: ReadonlyMap<string, Site>, faults?: () => RequestFaults) {
  return async (given: unknown): Promise<SimulatedResponse> => {
    const { url, text, signal } = given as SimulatedRequest;
    const site = sites.get(url);
    if (!site) throw new Error(`The world has no site ${url}.`);
    const asked = request<HttpAnswer>(
      process,
      site.server,
      (reply) => {
        const answer = site.answer(text);
        if (answer) reply(answer);
      },
      faults,
    ).catch((cause) => {
      throw new TypeError('fetch failed', { cause });
    });
    const { status, headers = {}, text: body, bodyAfterMs = 0 } = await aborted(signal, asked);
    const bytes = encoder.encode(body);
    return new SimulatedResponse(status, headers, () =>
      bodyAfterMs === 0 ? Promise.resolve(bytes) : aborted(signal, later(process, bodyAfterMs, bytes)),
    );
  };
}

/** Settles as the promise does, unless the signal is aborted before. */
function aborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function later<T>(process: Process, ms: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    if (ms < Number.POSITIVE_INFINITY) process.deliver(ms, () => resolve(value));
  });
}
