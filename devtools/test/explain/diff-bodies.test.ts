import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BodyDiff, diffBodies } from '../../src/explain/diff-bodies.js';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const diff = (signed: string, received: string) => diffBodies(bytesOf(signed), bytesOf(received));

/** What was received, made of what was signed and the difference. */
const applied = (signed: Uint8Array, received: Uint8Array, diff: BodyDiff) =>
  Buffer.concat([
    signed.subarray(0, diff.at),
    received.subarray(diff.at, diff.at + diff.received.bytes),
    signed.subarray(diff.at + diff.signed.bytes),
  ]);

const event = '[{"id":"0x1","data":{"event":{"name":"Transfer","inputs":[{"value":"1.5"},{"value":2}]}}}]';

it('finds no difference between equal bodies', () => {
  expect(diff(event, event)).toMatchObject({ kind: 'same', signedBytes: event.length, signed: { bytes: 0 } });
});

describe('the same JSON', () => {
  it.each([
    ['white space', '[{"a":1,"b":"é&"}]', '[ {\n"a": 1, "b": "é&"} ]'],
    ['escapes', '[{"a":1,"b":"\\u0026\\u00e9/"}]', '[{"a":1,"b":"&é\\/"}]'],
    ['numbers', '[1,1.50,0,-2e3,1e-2]', '[1.0,1.5,-0,-2000,0.01]'],
    ['rounded numbers', '[1000000000000000001]', '[1000000000000000000]'],
    ['the order of keys', '[{"a":1,"b":{"c":2,"d":3}}]', '[{"b":{"d":3,"c":2},"a":1}]'],
  ])('differs in %s', (_, signed, received) => {
    const found = diff(signed, received);
    expect(found).toMatchObject({ kind: 'format' });
    expect(found.signed.bytes + found.received.bytes).toBeGreaterThan(0);
  });
});

describe('bytes', () => {
  it('shows what stands where, in hex and as text', () => {
    const text = 'The amount is one and a half tokens, sent on Monday.';
    expect(diff(text, text.replace('one', 'just one'))).toMatchObject({
      ...{ at: 14, before: 'The amount is ' },
      signed: { bytes: 0, hex: '', text: '' },
      received: { bytes: 5, hex: '6a75737420', text: 'just ' },
    });
    expect(diff(text, text.replace('one', '1').replace('Monday', 'Sunday'))).toMatchObject({
      at: 14,
      signed: { bytes: 33, text: 'one and a half tokens, sent on Mo' },
      received: { bytes: 31, text: '1 and a half tokens, sent on Su' },
    });
  });

  it.each([
    ['not JSON', '[1', '[2'],
    ['not UTF-8', '\xff[1]', '[1]'],
    ['nested too deeply', `${'['.repeat(300)}1${']'.repeat(300)}`, `${'['.repeat(300)}2${']'.repeat(300)}`],
    ['empty', '', '[]'],
    ['too large', `[${' '.repeat(2 ** 22)}1]`, `[${' '.repeat(2 ** 22)}2]`],
  ])('compares what is %s', (_, signed, received) => {
    const pair = [Buffer.from(signed, 'latin1'), Buffer.from(received, 'latin1')] as const;
    const found = diffBodies(...pair);
    expect(found).toMatchObject({ kind: 'bytes' });
    expect(applied(...pair, found).equals(pair[1])).toBe(true);
  });

  it('turns what was signed into what was received', () => {
    const pieces = fc.array(fc.constantFrom('[', ']', 'aaaa', 'é', ',', '{"a":1}', '0123456789abcdef', '\n'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(pieces, pieces, (a, b) => {
        const pair = [bytesOf(a.join('')), bytesOf(b.join(''))] as const;
        expect(applied(...pair, diffBodies(...pair))).toEqual(Buffer.from(pair[1]));
      }),
      { numRuns: 500 },
    );
  });

  it('compares JSON as JSON.parse reads it', () => {
    const sortedJson = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sortedJson)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([key, each]) => [key, sortedJson(each)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isEqual = JSON.stringify(sortedJson(a)) === JSON.stringify(sortedJson(b));
        const { kind } = diff(JSON.stringify(a, null, 1), JSON.stringify(sortedJson(b)));
        expect(['same', 'format'].includes(kind)).toBe(isEqual);
        expect(['same', 'format']).toContain(diff(JSON.stringify(a, null, 1), JSON.stringify(sortedJson(a))).kind);
      }),
      { numRuns: 300 },
    );
  });
});

describe('hostile bodies of 2 MiB', { timeout: 60_000 }, () => {
  const size = 2 * 1024 * 1024;
  const random = Array.from({ length: size / 8 }, (_, at) => ((at * 2654435761) % 2 ** 31).toString(36).padEnd(8, '.'));
  it.each([
    ['nothing in common', random.join(''), random.toReversed().join('').replaceAll('.', ',')],
    ['one byte repeated', 'a'.repeat(size), 'b'.repeat(size)],
    ['many small numbers', `[${'1,'.repeat(size / 2)}1]`, `[2,${'1,'.repeat(size / 2)}3]`],
    ['many brackets', `[${'[],'.repeat(size / 3)}1]`, `[${'[],'.repeat(size / 3)}2]`],
    ['deep brackets', `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`, '[]'],
    ['many keys', `{${random.map((_, at) => `"${at}":1`).join()}}`, `{${random.map((_, at) => `"${at}":2`).join()}}`],
    ['escapes', `["${'\\u0061'.repeat(size / 6)}"]`, `["${'a'.repeat(size / 6)}"]`],
    ['periods that shift', '0123456789abc'.repeat(size / 13), '0123456789abd'.repeat(size / 13)],
  ])('take little time: %s', (_, signed, received) => {
    const start = performance.now();
    expect(diff(signed, received).kind).not.toBe('same');
    // About a second; what grows with the square of the size takes hours.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});
