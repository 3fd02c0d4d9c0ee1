import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExplainFailureOptions, explainFailure } from '../../src/explain/index.js';
import { bodyMistakes } from './body-mistakes.js';
import { type Delivery, deliveries, NOW } from './deliveries.js';
import { type Received, receivedWith } from './mistake.js';
import { secretMistakes, signatureMistakes, timestampMistakes } from './mistakes.js';

const explain = (received: Received) => explainFailure(received as unknown as ExplainFailureOptions);

/** Eight characters of something are as much as may be in a finding by chance. */
function holdsPieceOf(text: string, hidden: string): boolean {
  for (let at = 0; at + 8 <= hidden.length; at++) if (text.includes(hidden.slice(at, at + 8))) return true;
  return false;
}

function checkQuiet(findings: readonly object[], delivery: Delivery): void {
  const text = JSON.stringify(findings);
  for (const hidden of [delivery.secret, delivery.signature, ...delivery.markers])
    expect(holdsPieceOf(text, hidden)).toBe(false);
}

const subjects = [
  ['a body', bodyMistakes],
  ['a secret', secretMistakes],
  ['a timestamp', timestampMistakes],
  ['a signature', signatureMistakes],
] as const;

// Where nothing matches, everything is tried: half a second each on a busy machine.
describe.each(subjects)('explainFailure knows %s', { timeout: 60_000 }, (_, mistakes) => {
  const rows = mistakes.map((mistake) => [mistake.title, mistake.cause, mistake] as const);
  it.each(rows)('%s (%s)', (_title, cause, mistake) => {
    fc.assert(
      fc.property(deliveries, (delivery) => {
        const findings = explain(receivedWith(mistake, delivery));
        expect(findings[0]?.cause).toBe(cause);
        for (const { what, fix } of findings)
          expect([what, fix]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
        checkQuiet(findings, delivery);
      }),
      { numRuns: 5 },
    );
  });
});

describe('explainFailure', () => {
  it('finds nothing wrong with an authentic and fresh delivery, in bytes or text, its signature in either case', () => {
    fc.assert(
      fc.property(deliveries, ({ body, signature, timestamp, secret }) => {
        const authentic = { signature, timestamp, secret, now: () => NOW };
        expect(explain({ ...authentic, rawBody: body })).toEqual([]);
        expect(explain({ ...authentic, rawBody: Buffer.from(body), signature: signature.toUpperCase() })).toEqual([]);
        expect(explain({ ...authentic, rawBody: body, secret: ['another', secret] })).toEqual([]);
      }),
    );
  });
});
