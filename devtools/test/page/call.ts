import { type IncomingHttpHeaders, request } from 'node:http';

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
