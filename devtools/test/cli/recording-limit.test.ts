import { readFile, stat } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRecording } from '../../src/cli/recording-writer.js';
import { type RecordedDelivery, recordingLine } from '../../src/deliveries/recorded.js';
import { delivery, noting, readAll } from './recordings.js';
import { scratch } from './tool.js';

const MIB = 1024 * 1024;
const authentic = (path: string, bytes = 0): RecordedDelivery => ({
  ...delivery,
  authentic: true,
  path,
  body: Buffer.alloc(bytes, 'g'),
});
/** What a stranger sends, and claims to be authentic in all that he writes. */
const forged = (path: string, bytes = 0): RecordedDelivery => ({
  ...delivery,
  status: 403,
  path,
  headers: [['authentic', '","authentic":true}\n']],
  body: Buffer.alloc(bytes, ',"authentic":true}\n'),
});
const paths = async (file: string) => (await readAll(file)).map(({ path }) => path);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

async function record(file: string, limit: number, deliveries: readonly RecordedDelivery[]): Promise<string[]> {
  const { notes, output } = noting();
  const writer = await openRecording(file, { output, limit });
  for (const each of deliveries) await writer.write(each);
  await writer.close();
  return notes;
}

describe('the limit of a recording', () => {
  it('gives forgeries a quarter, in any number and order', async () => {
    const file = await scratch();
    const mine = numbered(4).map((path) => authentic(path, 100_000));
    const theirs = numbered(12).map((path) => forged(path, 100_000));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...mine, ...theirs], { minLength: 16 }), async (deliveries) => {
        const path = await file(`r${++run}`, '');
        const notes = await record(path, MIB, deliveries);
        expect((await stat(path)).size).toBeLessThanOrEqual(MIB);
        const found = await readAll(path);
        const order = deliveries.filter((each) => each.authentic).map((each) => each.path);
        expect(found.filter((each) => each.authentic).map((each) => each.path)).toEqual(order);
        expect(found.filter((each) => !each.authentic)).toHaveLength(1);
        expect(notes).toEqual([
          `${path} has no space left for deliveries that do not verify, which get a quarter of it. Move the file and start again, or raise --record-limit (1 MiB).`,
          'Not recorded: 0 authentic and 11 other deliveries.',
        ]);
      }),
      { numRuns: 20 },
    );
  });

  it('keeps what was recorded, and notes that authentic deliveries are dropped', async () => {
    const file = await (await scratch())('r');
    const notes = await record(
      file,
      MIB,
      numbered(8).map((path) => authentic(path, 100_000)),
    );
    expect(await paths(file)).toEqual(numbered(7));
    expect(notes).toEqual([
      expect.stringContaining('is full: authentic deliveries are no longer recorded.'),
      'Not recorded: 1 authentic and 0 other deliveries.',
    ]);
  });

  it('is met to the byte', async () => {
    const file = await scratch();
    const bytes = recordingLine(authentic('/')).length;
    const lines = (length: number) => numbered(4).map((path) => authentic(path.padEnd(length, 'x')));
    expect(await record(await file('fits'), 4 * (bytes + 9), lines(10))).toEqual([]);
    expect(await record(await file('does-not'), 4 * (bytes + 9) - 1, lines(10))).toHaveLength(2);
  });

  it('does not change a file that is already larger', async () => {
    const before = recordingLine(forged('/', 2 * MIB));
    const file = await (await scratch())('r', before);
    const notes = await record(file, MIB, [authentic('/'), forged('/')]);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(notes[0]).toMatch(
      / is full: authentic deliveries are no longer recorded\. Move the file and start again, or raise/,
    );
    expect(notes.at(-1)).toBe('Not recorded: 1 authentic and 1 other deliveries.');
  });
});

describe('a recording whose disk is slow', () => {
  it('bounds its memory, of which forgeries get a quarter', async () => {
    const file = await (await scratch())('r');
    const { notes, output } = noting();
    const writer = await openRecording(file, { output, limit: 64 * MIB, maxWaiting: MIB });
    // In one turn: nothing is written in between.
    const writes = numbered(10).flatMap((path) => [
      writer.write(forged(path, 100_000)),
      writer.write(authentic(path, 100_000)),
    ]);
    await Promise.all(writes);
    await writer.write(authentic('/later', 100_000));
    await writer.close();
    expect((await readAll(file)).map((each) => [each.authentic, each.path])).toEqual([
      [undefined, '/0'],
      ...numbered(4).map((path) => [true, path]),
      [true, '/later'],
    ]);
    expect(notes).toEqual([
      `Deliveries are not recorded: they arrive faster than ${file} can be written.`,
      'Not recorded: 6 authentic and 9 other deliveries.',
    ]);
  });

  it('counts headers as well', async () => {
    const file = await (await scratch())('r');
    const { notes, output } = noting();
    const writer = await openRecording(file, { output, limit: 64 * MIB, maxWaiting: MIB });
    const headers = Array.from({ length: 1000 }, () => ['a', ''] as const);
    await Promise.all([writer.write({ ...forged('/'), headers }), writer.write(authentic('/'))]);
    await writer.close();
    expect(await paths(file)).toEqual(['/']);
    expect(notes.at(-1)).toBe('Not recorded: 0 authentic and 1 other deliveries.');
  });
});
