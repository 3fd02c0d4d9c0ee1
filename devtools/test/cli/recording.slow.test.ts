import { appendFile, readFile, stat, truncate } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRecording, recordedDelivery } from '../../src/cli/recording.js';
import { openRecording } from '../../src/cli/recording-writer.js';
import { type RecordedDelivery, recordingLine } from '../../src/deliveries/recorded.js';
import { delivery, LIMIT, noting, readAll } from './recordings.js';
import { scratch } from './tool.js';

describe('a recording', () => {
  test('gives back what was written, byte for byte', async () => {
    const file = await scratch();
    const anyDelivery = fc.record({
      at: fc.integer({ min: 0, max: 4e12 }),
      method: fc.string(),
      path: fc.string({ unit: 'binary' }),
      headers: fc.array(fc.tuple(fc.string(), fc.string({ unit: 'binary' }))),
      body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      status: fc.option(fc.integer({ min: 100, max: 599 }), { nil: undefined }),
      verdict: fc.option(fc.string(), { nil: undefined }),
      authentic: fc.constantFrom(true, undefined),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyDelivery), fc.nat(), async (deliveries, name) => {
        const path = await file(`${name}.ndjson`, deliveries.map(recordingLine).join(''));
        expect(await readAll(path)).toEqual(deliveries);
      }),
      { numRuns: 50 },
    );
  });

  test('is written in the order of the calls, for its owner alone', async () => {
    const path = await (await scratch())('r');
    const writer = await openRecording(path, { ...noting(), limit: LIMIT });
    const many = Array.from({ length: 50 }, (_, index) => ({ ...delivery, status: 200 + index }));
    await Promise.all(many.map((each) => writer.write(each)));
    await writer.close();
    expect(await readAll(path)).toEqual(many);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('is read without an incomplete last line, wherever it ends', async () => {
    const file = await scratch();
    const line = recordingLine(delivery);
    for (let length = 1; length < line.length - 1; length++) {
      const { notes, output } = noting();
      const path = await file('r', line + line.slice(0, length));
      expect(await readAll(path, output)).toEqual([delivery]);
      expect(notes).toEqual([expect.stringMatching(/^Line 2 of .+ is incomplete and was skipped\.$/)]);
    }
    // All of it but the newline is all of it.
    expect(await readAll(await file('r', line + line.slice(0, -1)))).toEqual([delivery, delivery]);
  });

  test('is continued after an incomplete line, which is skipped from then on', async () => {
    const file = await scratch();
    const line = recordingLine(delivery);
    for (const torn of [line.slice(0, 5), line.slice(0, -9), `{"at":"${'x'.repeat(200_000)}`]) {
      for (const whole of ['', line, line + line]) {
        const { notes, output } = noting();
        const path = await file('r', whole + torn);
        const writer = await openRecording(path, { output, limit: LIMIT });
        await writer.write(delivery);
        await writer.close();
        expect(await readFile(path, 'utf8')).toBe(`${whole}${torn}\n${line}`);
        const before = whole.length / line.length;
        expect(await readAll(path, output)).toEqual(Array.from({ length: before + 1 }, () => delivery));
        expect(notes).toEqual([expect.stringContaining(`Line ${before + 1} of `)]);
      }
    }
  });

  test('gets the line break that an editor took from its end', async () => {
    const path = await (await scratch())('r', recordingLine(delivery).slice(0, -1));
    const writer = await openRecording(path, { ...noting(), limit: LIMIT });
    await writer.write(delivery);
    await writer.close();
    expect(await readAll(path)).toEqual([delivery, delivery]);
  });

  test('has one delivery, or a number that chooses one', async () => {
    const path = await (await scratch())('r', recordingLine(delivery).repeat(2));
    const chosen = (nth?: number) => recordedDelivery(path, nth, noting().output);
    expect(await chosen(2)).toEqual({ ...delivery, number: 2 });
    await expect(chosen(3)).rejects.toThrow(/has 2 deliveries, the last of them #2: --nth 3 does not exist/);
    await expect(chosen()).rejects.toThrow(/has 2 deliveries, the last of them #2: choose one with --nth/);
  });

  test('keeps the numbers of its deliveries, which a later run continues', async () => {
    const first = recordingLine(delivery) + recordingLine({ ...delivery, number: 7, authentic: true });
    const path = await (await scratch())('r', first);
    const writer = await openRecording(path, { ...noting(), limit: LIMIT });
    expect(writer.lastNumber).toBe(7);
    // Answered in another order than received.
    for (const number of [9, 8]) await writer.write({ ...delivery, path: `/${number}`, number });
    await writer.close();
    const chosen = (nth: number) => recordedDelivery(path, nth, noting().output);
    expect([(await chosen(1)).path, (await chosen(8)).path, (await chosen(9)).path]).toEqual([
      delivery.path,
      '/8',
      '/9',
    ]);
    await expect(chosen(2)).rejects.toThrow('has 4 deliveries, the last of them #8: --nth 2 does not exist');
  });

  test.each(['my notes', 'a\nb', '[]'])('nothing is added to or cut from another file: %j', async (text) => {
    const path = await (await scratch())('notes.txt', text);
    await expect(openRecording(path, { ...noting(), limit: LIMIT })).rejects.toThrow(
      'is not a recording: choose another file',
    );
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test.each([
    ['a line that is not JSON', 'x', 'it is not JSON'],
    ['a line that is not an object', '[]', 'it is not a JSON object'],
    ['an invalid time', '{"at":"yesterday"}', '"at" is not a time'],
    ['a line without a path', '{"at":"2026-01-01T00:00:00Z","method":"POST"}', '"method" and "path" must be strings'],
    [
      'a line without headers',
      '{"at":"2026-01-01T00:00:00Z","method":"POST","path":"/"}',
      '"headers" must be an array',
    ],
    ['a header without value', recordingLine(delivery).replace(',"one"', ''), '"headers" must be an array'],
    [
      'a body that is not base64',
      recordingLine(delivery).replace(/"bodyBase64":"/, '$&*'),
      '"bodyBase64" is not base64',
    ],
    ['a text as status', recordingLine(delivery).replace('200', '"ok"'), '"status" is not an HTTP status'],
    ['a status below 100', recordingLine(delivery).replace('200', '99'), '"status" is not an HTTP status'],
    ['a status above 999', recordingLine(delivery).replace('200', '1000'), '"status" is not an HTTP status'],
  ])('that contains %s is refused with the line number', async (_, line, reason) => {
    const good = recordingLine(delivery);
    const path = await (await scratch())('r', `${good}\n${line.trim()}\n${good}`);
    await expect(readAll(path)).rejects.toMatchObject({
      code: 'ERR_CLI_INPUT',
      message: `Line 3 of ${path} is not a recorded delivery: ${reason}${reason.endsWith('array') ? ' of [name, value]' : ''}.`,
    });
  });
});

describe('a recording that changes while it is read', () => {
  const long = (path: string) => ({ ...delivery, path, body: Buffer.alloc(300_000) });

  async function readWhile(change: (path: string, count: number) => Promise<void>, deliveries: RecordedDelivery[]) {
    const path = await (await scratch())('r', deliveries.map(recordingLine).join(''));
    const { notes, output } = noting();
    const found: RecordedDelivery[] = [];
    for await (const each of readRecording(path, output)) await change(path, found.push(each));
    return { paths: found.map((each) => each.path), notes };
  }

  test('ends where it ended at first, when it grows with each delivery that is read', async () => {
    const grow = (path: string) => appendFile(path, recordingLine(delivery));
    expect(await readWhile(grow, [long('/1'), long('/2'), long('/3')])).toEqual({
      paths: ['/1', '/2', '/3'],
      notes: [],
    });
  });

  test('is refused when it is truncated, also at the end of a line', async () => {
    const line = recordingLine(long('/1')).length;
    for (const length of [0, line, 2 * line - 1, 2 * line]) {
      const cut = (path: string) => truncate(path, length);
      await expect(readWhile(cut, [long('/1'), long('/2'), long('/3')])).rejects.toThrow(
        /was truncated while it was read\.$/,
      );
    }
  });
});
