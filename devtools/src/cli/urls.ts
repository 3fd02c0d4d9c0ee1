import { usageError } from './command-error.js';

/**
 * An http or https URL from the command line.
 *
 * @param what What it is, for the message, which does not quote it: it may hold a password.
 * @throws CommandError `ERR_CLI_USAGE` when it is none.
 */
export function readUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname) return url;
  throw usageError(`${what} must be a whole URL, such as http://127.0.0.1:3000/webhooks.`);
}

/** A URL without what may be secret in it: user, password, query and fragment. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: is it started, and is that its port?',
  ENOTFOUND: 'there is no such host.',
  EAI_AGAIN: 'the name of the host cannot be looked up: is there a network?',
  EHOSTUNREACH: 'there is no way to that host.',
  ENETUNREACH: 'there is no way to that network.',
  ETIMEDOUT: 'the host does not answer.',
  TIMEOUT: 'the host does not answer.',
  ECONNRESET: 'the connection was closed before anything was answered.',
  EPROTO: 'it does not speak TLS: http:// instead of https://?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: http:// instead of https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: http:// instead of https://?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself: name it in NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'nobody known signed its certificate: name the signer in NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody known signed its certificate: name the signer in NODE_EXTRA_CA_CERTS.',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another host.',
};

/** Why nobody could be reached, as the end of a sentence, by Node's code. */
export const reachReason = (code: string | undefined): string => REASONS[code ?? ''] ?? 'it cannot be reached.';
