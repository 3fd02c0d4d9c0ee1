import { type IncomingHttpHeaders, request } from 'node:http';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { onTestFinished } from 'vitest';
import { createFeed, type FeedOptions } from '../../src/deliveries/feed.js';
import { type PageOptions, servePage } from '../../src/page/serve-page.js';
import { SECRET } from '../deliveries/records.js';

/** An answer, with its body as text. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  /** Just as they are sent: also a Host that fetch would not send. */
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A request of node:http, which lets any header through. */
export function call(url: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Node frames no body of a GET or DELETE unless it is told its length.
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const sent = request(url, { method, headers: { ...length, ...headers }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What the page sends with every call. */
export function pageHeaders(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}

/** Serves a page over a new feed until the test ends, and calls its API. */
export async function openPage(options: Partial<PageOptions> = {}, limits: FeedOptions = {}) {
  const feed = createFeed(limits);
  const state = () => ({ mode: 'listen' as const });
  const page = await servePage({ feed, state, headers: serviceHeaders, secretOf: () => SECRET, ...options });
  onTestFinished(() => page.close());
  const headers = pageHeaders(page.token);
  const api = async (method: string, path: string, body?: unknown) => {
    const answer = await call(`${page.url}api/${path}`, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, body: JSON.parse(answer.text) };
  };
  return { ...page, feed, headers, api };
}
