import { describe, expect, it } from 'vitest';
import { allPoints, type GoRelease, goString } from '../../../test/fixtures/go-json.js';
import { explainFailure } from '../../src/explain/index.js';
import { spelled, spellings } from '../../src/explain/json-spelling.js';
import { NOW, sign } from './deliveries.js';

const secret = 'rXv0pQ7LkYw2TnZs5dJc8HgB3fMa6UeE';
const timestamp = String(NOW / 1000 - 2);
const utf8 = (text: string) => new TextEncoder().encode(text);
/** Explaining takes a while, so JSON of the older release is explained for the first portion of the code points alone. */
const releases: readonly (readonly [GoRelease, keyof typeof spellings, portions: number])[] = [
  ['1.22', 'go', Number.POSITIVE_INFINITY],
  ['1.21', 'olderGo', 1],
];
/** Characters as JSON allows any program to write them. */
const escaped = (text: string) =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const causesOf = (sent: string, received: string) =>
  explainFailure({
    rawBody: received,
    signature: sign(secret, sent, timestamp),
    timestamp,
    secret,
    now: NOW,
  }).map(({ cause, confidence }) => `${cause}: ${confidence}`);

describe.each(releases)('JSON of Go %s', { timeout: 60_000 }, (release, spelling, portions) => {
  it('is restored from every spelling of every code point', () => {
    for (const points of allPoints()) {
      const text = points.map((point) => String.fromCodePoint(point)).join('');
      const expected = utf8(goString(text, release));
      for (const json of [JSON.stringify(text), goString(text), `"${escaped(text)}"`]) {
        expect(Buffer.compare(spelled(utf8(json), spellings[spelling]), expected), `from ${points[0]}`).toBe(0);
      }
    }
  });

  it('is recognized after it was parsed and serialized again, with any code points', () => {
    for (const points of [...allPoints()].slice(0, portions)) {
      const text = `<&>\b\f${points.map((point) => String.fromCodePoint(point)).join('')}`;
      const sent = `[{"id":${goString(text, release)}}]`;
      expect(causesOf(sent, JSON.stringify(JSON.parse(sent)))).toEqual(['body-reserialized: certain']);
    }
  });
});
