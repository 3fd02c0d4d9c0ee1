import { multibaasHeaders, serviceHeaders, signDelivery } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../src/explain/index.js';
import type { RequestHeaders } from '../../src/explain/options.js';

const secret = 'whsec-mine';
const SECONDS = 1_700_000_000;
const rawBody = '[{"id":"1"}]';
const signed = (headers = serviceHeaders) => signDelivery(rawBody, { secret, timestamp: SECONDS, headers }).headers;
const explain = (requestHeaders: RequestHeaders, more = {}) =>
  explainFailure({ rawBody, requestHeaders, secret, now: SECONDS * 1000, ...more }).map(
    ({ cause, confidence }) => `${cause} ${confidence}`,
  );

describe('explainFailure with all headers of the request', () => {
  it.each([
    ['a record', signed()],
    ['Headers', new Headers(signed())],
    ['lines', Object.entries(signed())],
    [
      'a record with lists',
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toLowerCase(), [value]])),
    ],
  ])('takes signature and timestamp from %s', (_, headers) => {
    expect(explain(headers)).toEqual([]);
    expect(explain(headers, { secret: 'another' })).toContain('altered-or-other-secret possible');
  });

  it('continues with what came under other names', () => {
    const headers = signed(multibaasHeaders);
    expect(explain(headers, { now: (SECONDS + 400) * 1000 })).toEqual([
      'headers-other-names certain',
      'timestamp-stale certain',
    ]);
    expect(explain(headers, { secret: `${secret}\n` })).toEqual([
      'headers-other-names certain',
      expect.stringMatching(/^secret-\S+ certain$/),
    ]);
    expect(explain(headers, { secret: 'another' })).toEqual([
      'headers-other-names likely',
      'altered-or-other-secret possible',
    ]);
  });

  it('says why they are missing', () => {
    expect(explain({ via: '1.1 proxy' })).toEqual(['headers-missing likely']);
    expect(explain({ 'stripe-signature': 't=1,v1=2' })).toEqual(['headers-of-another-service likely']);
    const [, timestamp] = [serviceHeaders.signature, serviceHeaders.timestamp];
    expect(explain({ [timestamp]: '1e9' })).toEqual(['signature-missing likely', 'timestamp-reformatted likely']);
  });

  it('ignores what are no headers', () => {
    const throwing = () => {
      throw new Error('mine');
    };
    const bad = [
      null,
      7,
      [1],
      [
        [1, [2]],
        ['a', 3],
      ],
      Object.defineProperty({}, 'a', { get: throwing, enumerable: true }),
    ];
    for (const headers of bad) expect(explain(headers as never)).toContain('headers-missing likely');
  });
});
