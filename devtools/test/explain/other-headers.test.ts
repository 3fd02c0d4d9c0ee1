import { type HeaderNames, multibaasHeaders, serviceHeaders } from 'event-webhook-receiver/verify';
import { expect, it } from 'vitest';
import { otherHeaders } from '../../src/explain/other-headers.js';

const both = ['x-service-signature', 'X-SERVICE-TIMESTAMP'];
const long = 'x'.repeat(100);

it('has nothing to say where both came', () => {
  expect(otherHeaders(['host', ...both], serviceHeaders)).toBeUndefined();
  expect(otherHeaders(['x-multibaas-signature', ...both], serviceHeaders)).toBeUndefined();
});

it.each<[came: string[], cause: string, what: RegExp, fix: RegExp, names?: HeaderNames, expected?: HeaderNames]>([
  [
    ['X-MultiBaas-Signature', 'x-multibaas-timestamp'],
    'headers-other-names',
    /^The signature came as X-MultiBaas-…; X-Service-Signature and X-Service-Timestamp are expected\.$/,
    /^Set `headers: multibaasHeaders` .*import it.*`--headers multibaas`/,
    multibaasHeaders,
  ],
  [
    both,
    'headers-other-names',
    /came as X-Service-…/,
    /`headers: serviceHeaders`.*the default/,
    serviceHeaders,
    multibaasHeaders,
  ],
  [
    ['HTTP_X_SERVICE_SIGNATURE', 'HTTP_X_SERVICE_TIMESTAMP'],
    'headers-renamed',
    /has HTTP_X_SERVICE_SIGNATURE and HTTP_X_SERVICE_TIMESTAMP\.$/,
    /headers: \{ signature: 'HTTP_X_SERVICE_SIGNATURE'/,
    { signature: 'HTTP_X_SERVICE_SIGNATURE', timestamp: 'HTTP_X_SERVICE_TIMESTAMP' },
  ],
  [
    ['X-Service-Signature', 'X-Service-Timestamp-Original'],
    'headers-renamed',
    /^X-Service-Timestamp is expected; the request has X-Service-Signature and X-Service-Timestamp-Original/,
    /Correct/,
    { signature: 'X-Service-Signature', timestamp: 'X-Service-Timestamp-Original' },
  ],
  [
    ['X-Servce-Signature', 'X-Service-Timestanp'],
    'headers-renamed',
    /X-Servce-Signature/,
    /Correct/,
    { signature: 'X-Servce-Signature', timestamp: 'X-Service-Timestanp' },
  ],
  [['Stripe-Signature'], 'headers-of-another-service', /are missing; the request has Stripe-Signature\.$/, /library/],
  [['svix-id'], 'headers-of-another-service', /svix-id/, /library/],
  [['X-Service-Signature', 'host'], 'timestamp-missing', /^X-Service-Timestamp is missing\.$/, /passes/],
  [['X-Service-Timestamp'], 'signature-missing', /^X-Service-Signature is missing/, /passes/],
  [['Via', 'host'], 'headers-missing', /are missing\. The request came through a proxy \(Via\)\.$/, /gateway/],
  [[], 'headers-missing', /are missing/, /passes/],
  [[`${long}-signature`, 'signa\u202eture'], 'headers-missing', /are missing/, /passes/],
])('%j: %s', (came, cause, what, fix, names, expected = serviceHeaders) => {
  const found = otherHeaders(came, expected);
  expect(found).toEqual({
    fault: { cause, what: expect.stringMatching(what), fix: expect.stringMatching(fix) },
    ...(names && { names }),
  });
});

it('does not take one header for both', () => {
  const expected = { signature: 'x-signed-a', timestamp: 'x-signed-b' };
  expect(otherHeaders(['x-signed-c'], expected)?.fault.cause).toBe('headers-missing');
  expect(otherHeaders(['a', 'c'], { signature: 'b', timestamp: 'd' })?.fault.cause).toBe('headers-missing');
});
