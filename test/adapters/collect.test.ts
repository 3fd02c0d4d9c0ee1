import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collector } from '../../src/adapters/collect.js';
import { type BodySource, readBody } from '../../src/adapters/read-body.js';

const MIB = 1024 * 1024;

function collect(chunks: readonly Uint8Array[], maxBodyBytes = 10 * MIB): Uint8Array {
  const collector = new Collector(maxBodyBytes);
  for (const chunk of chunks) collector.add(chunk);
  return collector.bytes();
}

describe('Collector', () => {
  it('gives bytes in the order in which they came, however they were cut', () => {
    // Sizes on both sides of what it copies together, and enough chunks that it does.
    const size = fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) },
      fc.constantFrom(1022, 1023, 1024, 1025),
      fc.integer({ min: 0, max: 5000 }),
    );
    fc.assert(
      fc.property(fc.array(size, { maxLength: 1500, size: 'max' }), (sizes) => {
        const whole = new Uint8Array(sizes.reduce((sum, each) => sum + each, 0)).map((_, at) => at * 31 + (at >> 8));
        let at = 0;
        const chunks = sizes.map((each) => {
          at += each;
          return whole.subarray(at - each, at);
        });
        expect(Buffer.compare(collect(chunks), whole)).toBe(0);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it('copies nothing when there is one large chunk', () => {
    const chunk = new Uint8Array(100_000);
    expect(collect([chunk])).toBe(chunk);
  });

  it('takes bytes up to the limit and throws at the first beyond it', () => {
    const collector = new Collector(3000);
    collector.add(new Uint8Array(2000));
    collector.add(new Uint8Array(1000));
    collector.add(new Uint8Array());
    expect(collector.bytes()).toHaveLength(3000);
    expect(() => collector.add(new Uint8Array(1))).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_BODY_TOO_LARGE', status: 413 }),
    );
  });

  it('keeps throwing after the limit, so that a caller who goes on collects nothing more', () => {
    const collector = new Collector(10);
    for (const size of [11, 1, 0]) expect(() => collector.add(new Uint8Array(size))).toThrow(/larger than 10 bytes/);
    expect(collector.bytes()).toHaveLength(0);
  });

  it.each([
    ['text'],
    [17],
    [[1, 2]],
    [{ byteLength: 1 }],
    [undefined],
    [null],
    [new Uint16Array(2)],
    [new DataView(new ArrayBuffer(2))],
  ])('throws for %j, which is no bytes', (chunk) => {
    const collector = new Collector(10);
    expect(() => collector.add(chunk as unknown as Uint8Array)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_BODY_INCOMPLETE', status: 503 }),
    );
    expect(collector.bytes()).toHaveLength(0);
  });
});

describe('readBody', () => {
  const read = (source: BodySource) => {
    const received: number[] = [];
    const arrival = { received: (bytes: number) => void received.push(bytes), onDrop() {} };
    const reading = readBody(source)({ maxBodyBytes: 2, timeoutMs: 60_000, arrival });
    return { received, reading };
  };

  it.each([
    ['ended', 1, undefined],
    ['was refused', 3, { code: 'ERR_WEBHOOK_BODY_TOO_LARGE' }],
  ])('neither counts nor adds what arrives after the body %s, and stops its source once', async (_how, size, error) => {
    const stops: boolean[] = [];
    const { received, reading } = read((add, finish) => {
      add(new Uint8Array(size));
      finish();
      add(new Uint8Array(1));
      finish(new Error('late'));
      return (hasFailed) => void stops.push(hasFailed);
    });
    if (error) await expect(reading).rejects.toMatchObject(error);
    else expect(await reading).toEqual(new Uint8Array(size));
    expect(stops).toEqual([error !== undefined]);
    expect(received).toEqual(error ? [] : [size]);
  });
});
