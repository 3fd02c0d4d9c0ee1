import { describe, expect, it } from 'vitest';
import { deliver, sign } from './deliveries.js';
import type { Received } from './mistake.js';
import { causes, delivery, secret, timestamp } from './received.js';

const other = 'altered-or-other-secret: possible';
/** Signed by nobody that we know. */
const strange = 'ab'.repeat(32);

it.each<[string, Received, string[]]>([
  ['a body of zstd', { rawBody: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) }, ['body-compressed: likely']],
  ['a body of zlib', { rawBody: Buffer.from([0x78, 0x9c, 3, 0]) }, ['body-compressed: likely']],
  ['a body of one byte, which is that of zlib', { rawBody: 'x' }, ['body-not-json: likely']],
  ['a body that is not UTF-8', { rawBody: Buffer.from([0x5b, 0xc3, 0x5d]) }, ['body-not-utf8: likely']],
  ['a page in place of a body', { rawBody: '<!doctype html><p>502' }, ['body-not-json: likely']],
  ['an event that was taken out', { rawBody: '{"id":"2"}' }, ['body-single-event: likely']],
  ['a signature of another secret', { signature: strange }, [other]],
])('knows the form of %s where nothing makes the signature match', { timeout: 60_000 }, (_, changes, expected) => {
  expect(causes(changes)).toEqual(expected);
});

it.each([
  ['with its mark', true],
  ['without a mark', false],
])('a body that was encoded into UTF-16 in the other byte order, %s, is known', (_, marked) => {
  const rawBody = Buffer.from((marked ? '\ufeff' : '') + delivery.body, 'utf16le').swap16();
  expect(causes({ rawBody })).toEqual(['body-utf16: certain']);
});

describe('a body that was parsed and written again', () => {
  it.each([
    ['added to a character', 'é', '\\u00e9'],
    ['added to one character and lost on others', '\\u003cb\\u003eé', '<b>\\u00e9'],
    ['lost', '\\u003cé', '<é'],
  ])('is known by escapes that were %s', (_, sent, received) => {
    const signature = sign(secret, `[{"id":"${sent}"}]`, timestamp);
    expect(causes({ rawBody: `[{"id":"${received}"}]`, signature })).toEqual(['body-reserialized: certain']);
  });

  it.each([
    ['sorted', '[{"data":{},"event":"e","id":"1"}]'],
    ['of jsonb, by their length', '[{"id": "1", "data": {}, "event": "e"}]'],
  ])('is likely where the keys are in the order %s', (_, rawBody) => {
    expect(causes({ rawBody, signature: strange })).toEqual(['body-keys-reordered: likely', other]);
  });

  it('is known where it is larger than a megabyte, laid out or not', () => {
    const { body: large, signature: own } = deliver([{ id: '<', data: 'x'.repeat(1024 * 1024) }], secret, timestamp);
    const parsed: unknown = JSON.parse(large);
    expect(causes({ rawBody: JSON.stringify(parsed), signature: own })).toEqual(['body-reserialized: certain']);
    expect(causes({ rawBody: JSON.stringify(parsed, null, 2), signature: own })).toEqual([
      'body-pretty-printed: certain',
    ]);
  });

  it('that nests deeper than anybody writes is no failure of the explanation', () => {
    const rawBody = '['.repeat(5000) + ']'.repeat(5000);
    expect(causes({ rawBody })).toEqual([other]);
  });
});
