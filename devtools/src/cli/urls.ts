import { isLoopback } from '../guards.js';
import { tlsReason } from '../tls-reason.js';
import { CommandError, usageError } from './command-error.js';

const PORT = /^:?(\d{1,5}(?:[/?#].*)?)$/;
const HOST = /^(\[[^\]]*\]|[^/?#:@]+)(?::\d{1,5})?(?:[/?#].*)?$/;

/** A URL from the command line. A port or a loopback host without a scheme, such as `3000` or `localhost:3000/x`, is http. */
export function fullUrl(text: string): string {
  const [, portAndPath] = PORT.exec(text) ?? [];
  if (portAndPath !== undefined) return `http://localhost:${portAndPath}`;
  const [, host = ''] = HOST.exec(text) ?? [];
  return isLoopback(host) ? `http://${text}` : text;
}

/**
 * An http or https URL from the command line.
 *
 * @param what The subject of the error message, which never quotes the URL, because it may contain a password.
 * @throws CommandError `ERR_CLI_USAGE` otherwise.
 */
export function readUrl(text: string, what: string): URL {
  const full = fullUrl(text);
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname) return url;
  throw usageError(
    `${what} must be an absolute http or https URL, such as http://127.0.0.1:3000/webhooks, or a port of this machine, such as 3000.`,
  );
}

/** A URL without the parts that may be secret: user, password, query and fragment. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused. Is the server running, and on this port?',
  ENOTFOUND: 'the host does not exist.',
  EAI_AGAIN: 'DNS lookup failed. Is the network up?',
  EHOSTUNREACH: 'no route to the host.',
  ENETUNREACH: 'no route to the network.',
  ETIMEDOUT: 'the host did not respond in time.',
  TIMEOUT: 'the host did not respond in time.',
  ECONNRESET: 'the connection was closed before a response.',
  UND_ERR_SOCKET: 'the connection was closed before a response.',
};

/** Why a host could not be reached, as the end of a sentence, by Node's error code. */
export function reachReason(code = ''): string {
  return REASONS[code] ?? tlsReason(code) ?? 'unknown network error.';
}

/** No connection to a host could be made. */
export const unreachable = (url: URL, code: string | undefined) =>
  new CommandError('ERR_CLI_UNREACHABLE', `${shownUrl(url)} cannot be reached (${code}): ${reachReason(code)}`);
