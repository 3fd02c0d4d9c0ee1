import { type HeaderNames, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver/verify';
import { distance } from 'fastest-levenshtein';
import { type Fault, fault } from './finding.js';

/** Why the two expected headers are missing. */
export interface OtherHeaders {
  readonly fault: Fault;
  /** Their actual names, if they were found. */
  readonly names?: HeaderNames | undefined;
}

const KNOWN = [
  { names: serviceHeaders, prefix: 'X-Service-…', option: 'serviceHeaders', isDefault: true },
  { names: multibaasHeaders, prefix: 'X-MultiBaas-…', option: 'multibaasHeaders', isDefault: false },
];

/** Headers that proxies add. */
const OF_PROXIES = ['via', 'x-forwarded-for', 'forwarded', 'cf-ray', 'x-amzn-trace-id', 'x-amz-cf-id', 'x-real-ip'];
const OF_SIGNATURES = /signature|hmac|^svix-|^webhook-(?:id|timestamp)/i;

/** A name as rewritten by some proxies and gateways. */
export const underscored = (name: string): string => name.replaceAll('-', '_');

/** Names to look up if a request cannot list its headers. */
export const PROBED: readonly string[] = [
  ...KNOWN.flatMap(({ names }) => [names.signature, names.timestamp]).flatMap((name) => [name, underscored(name)]),
  ...['stripe-signature', 'x-hub-signature-256', 'svix-signature', 'webhook-signature', 'x-slack-signature'],
  ...['x-signature', 'x-webhook-signature', 'x-shopify-hmac-sha256', ...OF_PROXIES],
];

const LONGEST_NAME = 80;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Maximum typing errors in a recognizable name, and its minimum length. */
const MOST_ERRORS = 2;
const SHORTEST = 8;

const lower = (name: string) => name.toLowerCase();
const isOne = (a: string, b: string) => lower(a) === lower(b);
const letters = (name: string) => lower(name).replace(/[^a-z0-9]/g, '');

/** The actual name of a header that was renamed, prefixed or misspelled. */
function renamed(came: readonly string[], name: string): string | undefined {
  const wanted = letters(name);
  return (
    came.find((each) => letters(each).endsWith(wanted)) ??
    came.find((each) => letters(each).startsWith(wanted)) ??
    came.find((each) => wanted.length >= SHORTEST && distance(letters(each), wanted) <= MOST_ERRORS)
  );
}

/**
 * Finds out why the expected headers are missing: they follow another naming convention, were renamed, belong to
 * another service, or were removed. Undefined if both are present.
 *
 * @param all The names of all headers of the request.
 * @param expected The names that the receiver expects.
 */
export function otherHeaders(all: readonly string[], expected: HeaderNames): OtherHeaders | undefined {
  const came = all.filter((name) => name.length <= LONGEST_NAME && NAME.test(name));
  const has = (name: string) => came.some((each) => isOne(each, name));
  const wanted = [expected.signature, expected.timestamp];
  const missing = wanted.filter((name) => !has(name));
  if (missing.length === 0) return undefined;
  const known = KNOWN.find(({ names }) => !isOne(names.signature, expected.signature) && has(names.signature));
  if (known) return { fault: ofConvention(known, missing), names: known.names };
  const found = wanted.map((name) => (has(name) ? name : renamed(came, name)));
  const [signature, timestamp] = found;
  if (signature !== undefined && timestamp !== undefined && !isOne(signature, timestamp)) {
    return { fault: ofRenamed(missing, { signature, timestamp }), names: { signature, timestamp } };
  }
  const foreign = came.find((name) => OF_SIGNATURES.test(name) && !wanted.some((each) => isOne(each, name)));
  if (foreign !== undefined) return { fault: ofForeign(missing, foreign) };
  return { fault: ofMissing(missing, expected, came) };
}

const isAre = (names: readonly string[]) => `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'}`;

const ofConvention = ({ prefix, option, isDefault }: (typeof KNOWN)[number], missing: readonly string[]) =>
  fault(
    'headers-other-names',
    `The signature came as ${prefix}; ${isAre(missing)} expected.`,
    `Set \`headers: ${option}\` where you create the receiver${isDefault ? ' (the default)' : " (import it from 'event-webhook-receiver')"}, or \`--headers ${option.replace('Headers', '')}\` on the command line.`,
  );

const ofRenamed = (missing: readonly string[], { signature, timestamp }: HeaderNames) =>
  fault(
    'headers-renamed',
    `${isAre(missing)} expected; the request has ${signature} and ${timestamp}.`,
    `Correct the names where they are set (a proxy that renames headers, a client), or set \`headers: { signature: '${signature}', timestamp: '${timestamp}' }\` where you create the receiver.`,
  );

const ofForeign = (missing: readonly string[], name: string) =>
  fault(
    'headers-of-another-service',
    `${isAre(missing)} missing; the request has ${name}.`,
    `If another service sent it, verify it with that service's library. If your service uses this name, set \`headers: { signature: '${name}', timestamp: … }\`.`,
  );

function ofMissing(missing: readonly string[], expected: HeaderNames, came: readonly string[]): Fault {
  const part = missing[0] === expected.signature ? 'signature' : 'timestamp';
  const proxy = came.find((name) => OF_PROXIES.includes(lower(name)));
  const through = proxy === undefined ? '' : ` The request came through a proxy (${proxy}).`;
  return fault(
    missing.length === 2 ? 'headers-missing' : `${part}-missing`,
    `${isAre(missing)} missing.${through}`,
    'Check that the sender signs, and that each proxy, gateway or function in front passes the headers on (API Gateway and CloudFront forward only listed ones). Pass both headers on wherever you copy a request. If your service uses other names, set the option headers: `npx event-webhooks listen` shows all headers of a request on its page.',
  );
}
