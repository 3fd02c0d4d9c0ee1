import { isLoopback } from '../guards.js';
import { networkReason } from '../network-errors.js';
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

/** No connection to a host could be made. */
export const unreachable = (url: URL, code: string | undefined) =>
  new CommandError('ERR_CLI_UNREACHABLE', `${shownUrl(url)} cannot be reached (${code}): ${networkReason(code)}.`);
