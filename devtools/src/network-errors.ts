const RESET = 'the connection was closed before a response';
const LATE = 'there was no response in time';
const NO_TLS = 'the server does not speak TLS. Use http:// instead of https://?';
const UNKNOWN_ISSUER = 'its certificate is signed by an unknown authority. Add that to NODE_EXTRA_CA_CERTS';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing is listening at this address',
  ECONNRESET: RESET,
  UND_ERR_SOCKET: RESET,
  EPIPE: 'the connection was closed while the body was being sent',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'DNS lookup failed. Is the network up?',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: LATE,
  HPE_HEADER_OVERFLOW: 'the response headers are too large',
  DROPPED: 'the connection was closed halfway, as requested',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed. Add it to NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Is the clock of this machine right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server requires a client certificate',
};

/** Why a request got no response, as a clause without a full stop, by Node's error code. */
export function networkReason(code = ''): string {
  // OpenSSL has hundreds of errors, whose names say little.
  return REASONS[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? 'the TLS handshake failed' : 'the request failed');
}
