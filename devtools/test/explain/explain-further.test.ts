import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainWithin } from '../../src/explain/explain-failure.js';
import { type ExplainFailureOptions, explainFailure } from '../../src/explain/index.js';
import { createWork } from '../../src/explain/search.js';
import { deliveries, NOW, sign } from './deliveries.js';
import type { Received } from './mistake.js';
import { again, causes, delivery, explain, received, secret, timestamp } from './received.js';

describe('faults of the headers', () => {
  it.each<[string, Received, string[]]>([
    [
      'a signature as GitHub makes it',
      { signature: `sha256=${sign(secret, delivery.body)}` },
      ['timestamp-not-signed', 'signature-prefixed'],
    ],
    [
      'a signature as Stripe makes it',
      { signature: `t=${timestamp},v1=${sign(secret, timestamp, '.', delivery.body)}` },
      ['timestamp-first', 'signature-prefixed'],
    ],
  ])('are all named: %s', (_, changes, expected) => {
    expect(causes(changes).sort()).toEqual(expected.map((cause) => `${cause}: certain`).sort());
  });

  it('are named with the variable of a line of an env file in quotes', () => {
    expect(causes({ secret: `WEBHOOK_SECRET="${secret}"` })).toEqual(['secret-env-line: certain']);
  });

  it('are reported together with the age of a stale delivery', () => {
    expect(causes({ rawBody: again, now: NOW + 1_000_000 })).toEqual([
      'body-reserialized: certain',
      'timestamp-stale: certain',
    ]);
  });
});

describe('a finding', () => {
  it('says of an old delivery first that it waited, and of one ahead that a clock is in local time', () => {
    expect(causes({ now: (Number(timestamp) + 7200) * 1000 })).toEqual([
      'timestamp-stale: certain',
      'clock-time-zone: likely',
    ]);
    expect(causes({ now: (Number(timestamp) - 7200) * 1000 })).toEqual([
      'clock-time-zone: likely',
      'timestamp-ahead: certain',
    ]);
  });

  it('appears in the same second in which the receiver starts to refuse', () => {
    const at = (age: number) => causes({ now: Number(timestamp) * 1000 + age, toleranceSeconds: 10 });
    expect([at(10_000), at(-10_000)]).toEqual([[], []]);
    expect([at(10_001), at(-10_001)]).toEqual([['timestamp-stale: certain'], ['timestamp-ahead: certain']]);
  });

  it('names the webhook whose secret was used, without characters that reorder text', () => {
    const [found] = explain({ secret: 'ours', otherSecrets: { staging: 'other', 'a\u202eb\u0000c': secret } });
    expect(found?.what).toContain('“abc”');
  });

  it('is certain only if the signature was seen to match', () => {
    fc.assert(
      fc.property(deliveries, fc.string({ minLength: 1 }), ({ body, signature }, other) => {
        const findings = explain({ rawBody: body, signature, secret: other });
        expect(findings.filter(({ confidence }) => confidence === 'certain')).toEqual([]);
        expect(findings.at(-1)?.cause).toBe('altered-or-other-secret');
      }),
      { numRuns: 3 },
    );
  }, 30_000);
});

describe('explainFailure, for any input', () => {
  const revoked = Proxy.revocable([], {});
  revoked.revoke();
  const circular: unknown[] = [];
  circular.push(circular);
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  const hostile = () => {
    throw new Error('hostile');
  };
  const thrower = new Proxy({}, { get: hostile, ownKeys: hostile });
  const strange = [
    ...[
      undefined,
      null,
      0,
      -1,
      Number.NaN,
      1n,
      true,
      '',
      ' ',
      '\ud800',
      Symbol('x'),
      () => 'x',
      {},
      [],
      [[]],
      ['', null, 1],
    ],
    ...[thrower, revoked.proxy, circular, deep, new Date(Number.NaN), new Map(), Promise.resolve('x')],
    ...[new ArrayBuffer(3), new SharedArrayBuffer(3), new DataView(new ArrayBuffer(2)), new Uint16Array(3)],
    ...['['.repeat(50_000), `"${'\\'.repeat(9999)}`, '%', '%e0%a4%a', 'x'.repeat(100_000), '1'.repeat(400), '0x'],
    ...['v1=', 't=,v1=', ',,,,', '=', '\0', Array(1000).fill('a')],
    { toString: hostile, valueOf: hostile, toJSON: hostile },
  ];
  const parts = ['rawBody', 'signature', 'timestamp', 'requestHeaders', 'headers'] as const;
  const others = ['readBy', 'bodyUnread'] as const;
  const fields = [...parts, 'secret', 'now', 'toleranceSeconds', 'otherSecrets', ...others] as const;

  it('returns findings and never throws', () => {
    for (const options of strange) expect(Array.isArray(explainFailure(options as never))).toBe(true);
    for (const field of fields) {
      for (const value of strange) {
        const findings = explainWithin(received({ [field]: value }), createWork(2 ** 20));
        expect(Array.isArray(findings), field).toBe(true);
      }
    }
  }, 120_000);

  it('reads each option once, so that a getter cannot change it', () => {
    const reads: string[] = [];
    const watched = new Proxy(received({ secret: 'ours' }), {
      get(target, name) {
        reads.push(String(name));
        return Reflect.get(target, name);
      },
    });
    explainFailure(watched as unknown as ExplainFailureOptions);
    expect(reads.sort()).toEqual([...fields].sort());
  });
});
