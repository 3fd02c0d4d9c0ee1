import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../http.js';

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Sets the headers that all responses have. */
export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
}

/** Protects the API of the page from other sites and other users of the machine. */
export function createGuard(port: number, token: string) {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  // Browsers omit the default port of the scheme.
  if (port === 80) hosts.push('127.0.0.1', 'localhost', '[::1]');
  const expected = digest(token);

  return {
    /** Refuses a request for another host name, as in DNS rebinding. */
    checkHost({ headers }: IncomingMessage): void {
      if (!hosts.includes(String(headers.host).toLowerCase())) {
        throw new HttpError(421, 'Open the page at the printed address, not under this host name.');
      }
    },
    /** Refuses a call without the token or from a page of another site. */
    checkCall({ method, headers }: IncomingMessage): void {
      const { origin, authorization = '' } = headers;
      const [, given = ''] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
      // Hashes have equal length, so that the comparison takes constant time.
      if (!timingSafeEqual(digest(given), expected)) {
        throw new HttpError(401, 'The token is missing or wrong. Open the printed address.');
      }
      if (origin !== undefined && !hosts.some((host) => origin.toLowerCase() === `http://${host}`)) {
        throw new HttpError(403, 'Only the page may make this call.');
      }
      if (method === 'GET') return;
      // Content types that a form or another site's page cannot send without a CORS preflight.
      if (!/^application\/(json|x-ndjson)\s*(;|$)/i.test(headers['content-type'] ?? '')) {
        throw new HttpError(415, 'Send the body as application/json or application/x-ndjson.');
      }
    },
  };
}

export type PageGuard = ReturnType<typeof createGuard>;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
