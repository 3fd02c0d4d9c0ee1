import { usageError } from './command-error.js';

/**
 * An http or https URL from the command line.
 *
 * @param what The subject of the error message, which never quotes the URL: it may contain a password.
 * @throws CommandError `ERR_CLI_USAGE` otherwise.
 */
export function readUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname) return url;
  throw usageError(`${what} must be an absolute http or https URL, such as http://127.0.0.1:3000/webhooks.`);
}

/** A URL without its parts that may be secret: user, password, query and fragment. */
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
  EPROTO: 'the server does not speak TLS. Use http:// instead of https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS. Use http:// instead of https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS. Use http:// instead of https://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed. Add it to NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority. Add that to NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is signed by an unknown authority. Add that to NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
};

/** Why a host could not be reached, as the end of a sentence, by Node's error code. */
export const reachReason = (code: string | undefined): string => REASONS[code ?? ''] ?? 'unknown network error.';
