import { mac, sign } from './deliveries.js';
import {
  base64Secret,
  bytes,
  clock,
  configured,
  header,
  hexSecret,
  iso,
  type Mistake,
  other,
  seconds,
  signedAs,
  signedWith,
  stamped,
} from './mistake.js';

const plainSecretMistakes: readonly Mistake[] = [
  configured('with the line break of its file', 'secret-whitespace', (d) => `${d.secret}\n`),
  configured('with a Windows line break', 'secret-whitespace', (d) => `${d.secret}\r\n`),
  configured('with spaces around', 'secret-whitespace', (d) => ` ${d.secret}  `),
  signedWith('signed with a line break that ours has not', 'secret-whitespace-lost', (secret) => `${secret}\n`),
  signedWith('signed with a carriage return that ours has not', 'secret-whitespace-lost', (secret) => `${secret}\r`),
  configured('in double quotes', 'secret-quoted', (d) => `"${d.secret}"`),
  configured('in single quotes', 'secret-quoted', (d) => `'${d.secret}'`),
  configured('in typographic quotes', 'secret-quoted', (d) => `“${d.secret}”`),
  signedWith('signed with quotes that ours has not', 'secret-quotes-lost', (secret) => JSON.stringify(secret)),
  configured('as a line of an env file', 'secret-env-line', (d) => `WEBHOOK_SECRET=${d.secret}`),
  configured('as an export of a shell', 'secret-env-line', (d) => `export WEBHOOK_SECRET=${d.secret}`),
  configured('with a comment behind it', 'secret-comment', (d) => `${d.secret} # production`),
  configured('with Bearer in front', 'secret-prefix', (d) => `Bearer ${d.secret}`),
  signedWith('without the prefix that belongs to it', 'secret-prefix-lost', (secret) => `whsec_${secret}`, other),
  configured('with a prefix that does not belong to it', 'secret-prefix', (d) => `whsec_${d.secret}`),
  signedWith('decoded from hex by the signer', 'secret-hex-decoded', (secret) => Buffer.from(secret, 'hex'), hexSecret),
  signedWith(
    'decoded from base64 by the signer',
    'secret-base64-decoded',
    (secret) => Buffer.from(secret, 'base64'),
    base64Secret,
  ),
  {
    title: 'decoded from hex by us',
    cause: 'secret-hex-encoded',
    make: (d) => ({
      secret: Buffer.from(hexSecret(d), 'hex').toString('latin1'),
      signature: sign(hexSecret(d), d.body, d.timestamp),
    }),
  },
  {
    title: 'decoded from base64 by us',
    cause: 'secret-base64-encoded',
    make: (d) => ({ secret: atob(base64Secret(d)), signature: sign(base64Secret(d), d.body, d.timestamp) }),
  },
  configured('in base64, as Kubernetes keeps it', 'secret-base64-decoded', (d) => bytes(d.secret).toString('base64')),
  configured('in hex', 'secret-hex-decoded', (d) => bytes(d.secret).toString('hex')),
  configured('as a list in one text', 'secret-list', (d) => `${other(d)},${d.secret}`),
  configured('with a comma behind it', 'secret-list', (d) => `${d.secret},`),
  configured('of another webhook', 'secret-of-another-webhook', other),
  configured('with a byte order mark', 'secret-bom', (d) => `\uFEFF${d.secret}`),
  configured('with a zero width space', 'secret-bom', (d) => `${d.secret}\u200b`),
  configured('with a line break that is written as an escape', 'secret-escaped', (d) => `${d.secret}\\n`),
  signedWith('unset where it is signed', 'signed-without-secret', () => 'undefined'),
  configured('undefined', 'secret-missing', () => undefined),
  configured('empty', 'secret-missing', () => ''),
  configured('the text undefined', 'secret-placeholder', () => 'undefined'),
  configured('a variable that was not expanded', 'secret-placeholder', () => `\${${'WEBHOOK_SECRET'}}`),
  configured('what the documentation shows', 'secret-placeholder', () => '<SIGNING_SECRET>'),
  configured('an API key', 'secret-is-api-key', () => 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'),
  configured('given as bytes', 'secret-not-text', (d) => bytes(d.secret)),
];

export const secretMistakes: readonly Mistake[] = plainSecretMistakes.map((mistake) => withExtras(mistake));

/** Those that need more than the one part. */
function withExtras(mistake: Mistake): Mistake {
  const { cause, make } = mistake;
  if (cause === 'secret-of-another-webhook')
    return { ...mistake, make: (d) => ({ ...make(d), otherSecrets: { staging: 'not-this-one', shop: d.secret } }) };
  return mistake;
}

export const timestampMistakes: readonly Mistake[] = [
  signedAs('left out of what is signed', 'timestamp-not-signed', (d) => sign(d.secret, d.body)),
  signedAs('signed in front of the body', 'timestamp-first', (d) => sign(d.secret, d.timestamp, d.body)),
  signedAs('signed behind a dot', 'timestamp-separator', (d) => sign(d.secret, d.body, '.', d.timestamp)),
  signedAs('signed behind a colon', 'timestamp-separator', (d) => sign(d.secret, d.body, ':', d.timestamp)),
  signedAs('signed behind a comma', 'timestamp-separator', (d) => sign(d.secret, d.body, ',', d.timestamp)),
  signedAs('signed in front with a dot, as Stripe does it', 'timestamp-first', (d) =>
    sign(d.secret, d.timestamp, '.', d.body),
  ),
  signedAs('signed in front with a line break', 'timestamp-first', (d) => sign(d.secret, d.timestamp, '\n', d.body)),
  signedAs('signed as Slack does it', 'timestamp-first', (d) => sign(d.secret, 'v0:', d.timestamp, ':', d.body)),
  signedAs('signed in milliseconds', 'timestamp-milliseconds', (d) =>
    sign(d.secret, d.body, String(seconds(d) * 1000 + 417)),
  ),
  stamped('sent in milliseconds, signed in seconds', 'timestamp-milliseconds', (d) => String(seconds(d) * 1000 + 417)),
  {
    title: 'in milliseconds in both places',
    cause: 'timestamp-milliseconds',
    make: (d) => ({ timestamp: `${d.timestamp}417`, signature: sign(d.secret, d.body, `${d.timestamp}417`) }),
  },
  stamped('sent in microseconds', 'timestamp-milliseconds', (d) => `${d.timestamp}417123`),
  signedAs('signed as an ISO date', 'timestamp-reformatted', (d) => sign(d.secret, d.body, iso(d))),
  stamped('sent as an ISO date', 'timestamp-reformatted', iso),
  stamped('sent as an HTTP date', 'timestamp-reformatted', (d) => new Date(seconds(d) * 1000).toUTCString()),
  stamped('with leading zeros', 'timestamp-reformatted', (d) => `00${d.timestamp}`),
  stamped('with decimals', 'timestamp-reformatted', (d) => `${d.timestamp}.0`),
  signedAs('signed with decimals, as Python gives it', 'timestamp-reformatted', (d) =>
    sign(d.secret, d.body, `${d.timestamp}.0`),
  ),
  stamped('with an exponent', 'timestamp-reformatted', (d) => seconds(d).toExponential()),
  stamped('in hex', 'timestamp-reformatted', (d) => `0x${seconds(d).toString(16)}`),
  stamped('with commas between thousands', 'timestamp-reformatted', (d) => seconds(d).toLocaleString('en-US')),
  stamped('with a sign', 'timestamp-reformatted', (d) => `-${d.timestamp}`),
  stamped('as a date of a place', 'timestamp-reformatted', (d) => new Date(seconds(d) * 1000).toLocaleString('en-US')),
  {
    title: 'with decimals in both places',
    cause: 'timestamp-reformatted',
    make: (d) => ({ timestamp: `${d.timestamp}.25`, signature: sign(d.secret, d.body, `${d.timestamp}.25`) }),
  },
  stamped('with white space around', 'timestamp-whitespace', (d) => ` ${d.timestamp} `),
  stamped('with a name in front', 'timestamp-prefixed', (d) => `t=${d.timestamp}`),
  stamped('sent twice', 'timestamp-repeated', (d) => `${d.timestamp}, ${d.timestamp}`),
  stamped('parsed to a number', 'timestamp-not-text', seconds),
  stamped('missing', 'timestamp-missing', () => undefined),
  stamped('of another attempt', 'timestamp-of-another-delivery', (d) => String(seconds(d) - 217)),
  {
    title: 'with the end of the body at its front',
    cause: 'body-timestamp-seam',
    make: (d) => ({ rawBody: d.body.slice(0, -2), timestamp: d.body.slice(-2) + d.timestamp }),
  },
  {
    title: 'with its first digits at the end of the body',
    cause: 'body-timestamp-seam',
    make: (d) => ({ rawBody: d.body + d.timestamp.slice(0, 4), timestamp: d.timestamp.slice(4) }),
  },
  clock('eleven minutes old', 'timestamp-stale', 664),
  clock('ten minutes ahead', 'timestamp-ahead', -600),
  clock('two hours old to the second, as a retry is', 'timestamp-stale', 7201),
  clock('five and a half hours ahead, as a clock in local time makes it', 'clock-time-zone', -19_799),
];

export const signatureMistakes: readonly Mistake[] = [
  header('in base64', 'signature-base64', (d) => Buffer.from(d.signature, 'hex').toString('base64')),
  header('in base64url', 'signature-base64', (d) => Buffer.from(d.signature, 'hex').toString('base64url')),
  header('with sha256= in front', 'signature-prefixed', (d) => `sha256=${d.signature}`),
  header('with v1= in front', 'signature-prefixed', (d) => `v1=${d.signature}`),
  header('as Stripe writes it', 'signature-prefixed', (d) => `t=${d.timestamp},v1=${d.signature}`),
  header('with 0x in front', 'signature-prefixed', (d) => `0x${d.signature}`),
  header('in quotes', 'signature-quoted', (d) => `"${d.signature}"`),
  header('with a line break behind it', 'signature-whitespace', (d) => `${d.signature}\n`),
  header('cut to 32 digits', 'signature-truncated', (d) => d.signature.slice(0, 32)),
  header('cut by one digit', 'signature-truncated', (d) => d.signature.slice(0, -1)),
  header('with more behind it', 'signature-longer', (d) => `${d.signature}zz`),
  header('sent twice, joined with a comma', 'signature-repeated', (d) => `${d.signature}, ${d.signature}`),
  header('sent twice, as a list', 'signature-repeated', (d) => [d.signature, d.signature]),
  header('given as bytes', 'signature-not-text', (d) => Buffer.from(d.signature, 'hex')),
  header('missing', 'signature-missing', () => undefined),
  header('masked by a log', 'signature-masked', () => '***'),
  header(
    'as Svix writes it, of something else',
    'signature-of-another-scheme',
    () => 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  signedAs('made with SHA-1', 'signature-other-hash', (d) =>
    mac('sha1', d.secret, d.body, d.timestamp).toString('hex'),
  ),
  signedAs('made with SHA-384', 'signature-other-hash', (d) =>
    mac('sha384', d.secret, d.body, d.timestamp).toString('hex'),
  ),
  signedAs('made with SHA-512', 'signature-other-hash', (d) =>
    mac('sha512', d.secret, d.body, d.timestamp).toString('hex'),
  ),
  {
    title: 'not there, nor is the timestamp: headers under other names',
    cause: 'headers-missing',
    make: () => ({ signature: undefined, timestamp: undefined }),
  },
  {
    title: 'of somebody else',
    cause: 'altered-or-other-secret',
    make: (d) => ({ signature: sign('somebody else', d.body, d.timestamp) }),
  },
];
