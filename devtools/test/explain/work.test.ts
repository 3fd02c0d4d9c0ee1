import { describe, expect, it } from 'vitest';
import { explainWithin } from '../../src/explain/explain-failure.js';
import { createWork, MOST_WORK } from '../../src/explain/search.js';
import { goJson, sign } from './deliveries.js';
import type { Received } from './mistake.js';
import { again, received, secret, timestamp } from './received.js';

describe('the work', { timeout: 60_000 }, () => {
  const large = goJson(
    Array.from({ length: 5900 }, (_, at) => ({ id: String(at), event: 'e', data: { name: '<&>'.repeat(100) } })),
  );

  it('is bounded over a body of 10 MiB, and finds single faults within the bound', () => {
    expect(large.length).toBeGreaterThan(10 * 1024 * 1024);
    const explained = (changes: Received) => {
      const work = createWork();
      const findings = explainWithin(
        received({ rawBody: large, signature: sign(secret, large, timestamp), ...changes }),
        work,
      );
      expect(work.spent).toBeLessThanOrEqual(MOST_WORK);
      return findings.map(({ cause }) => cause);
    };
    expect(explained({ rawBody: JSON.stringify(JSON.parse(large)) })).toEqual(['body-reserialized']);
    expect(explained({ rawBody: `${large}\n` })).toEqual(['body-whitespace-added']);
    expect(explained({ secret: `${secret}\n` })).toEqual(['secret-whitespace']);
    expect(explained({ timestamp: `${timestamp}000` })).toEqual(['timestamp-milliseconds']);
    expect(explained({ signature: sign('another', large, timestamp) })).toEqual(['altered-or-other-secret']);
  }, 120_000);

  it('takes one pass over the body for every form of the timestamp', () => {
    const work = createWork();
    const signature = sign(secret, large, ':', timestamp);
    expect(explainWithin(received({ rawBody: large, signature }), work)[0]?.cause).toBe('timestamp-separator');
    expect(work.spent).toBeLessThan(large.length * 1.1);
  });

  it('does not start when none is left', () => {
    const work = createWork(100);
    expect(explainWithin(received({ rawBody: again }), work).map(({ cause }) => cause)).toEqual([
      'altered-or-other-secret',
    ]);
    expect(work.spent).toBeLessThanOrEqual(100);
  });

  it('counts white space at the end of a body as often as it is looked through', () => {
    const rawBody = '\r\n'.repeat(100_000);
    const work = createWork();
    let steps = 0;
    const spend = (bytes: number) => {
      steps++;
      return work.spend(bytes);
    };
    explainWithin(received({ rawBody }), { ...work, spend });
    // Each step goes over all of it, which otherwise takes minutes for a body of a few MiB.
    expect(steps).toBeLessThan((10 * MOST_WORK) / rawBody.length);
  }, 120_000);

  it('does not grow with the number of secrets', () => {
    const work = createWork();
    const many = Array.from({ length: 5000 }, (_, at) => `secret number ${at}`);
    explainWithin(received({ secret: many, otherSecrets: Object.fromEntries(many.map((each) => [each, each])) }), work);
    expect(work.spent).toBeLessThanOrEqual(MOST_WORK);
  }, 30_000);
});
