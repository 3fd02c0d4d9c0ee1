import { execFile } from 'node:child_process';
import { appendFile, chmod, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRecording, recordedDelivery } from '../../src/cli/recording.js';
import { openRecording } from '../../src/cli/recording-writer.js';
import { AUTHENTIC_END, type RecordedDelivery, recordingBytes, recordingLine } from '../../src/deliveries/recorded.js';
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
        for (const each of deliveries) {
          const line = recordingLine(each);
          expect(recordingBytes(each)).toBe(Buffer.byteLength(line));
          expect(line.endsWith(`${AUTHENTIC_END}\n`)).toBe(each.authentic === true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('is told apart by lines, however the file is cut into chunks', async () => {
    const file = await scratch();
    const long = { ...delivery, body: Buffer.alloc(300_000, 'é') };
    const path = await file('r', [long, delivery, long].map(recordingLine).join(''));
    expect((await readAll(path)).map(recordingLine).join('')).toBe(await readFile(path, 'utf8'));
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

  test('is appended to', async () => {
    const path = await (await scratch())('r', recordingLine(delivery));
    const writer = await openRecording(path, { ...noting(), limit: LIMIT });
    await writer.write(delivery);
    await writer.close();
    expect(await readAll(path)).toEqual([delivery, delivery]);
  });

  test('is read without an incomplete last line, wherever it ends', async () => {
    const file = await scratch();
    const line = recordingLine(delivery);
    for (let length = 1; length < line.length - 1; length++) {
      const { notes, output } = noting();
      const path = await file('r', line + line.slice(0, length));
      expect(await readAll(path, output)).toEqual([delivery]);
      expect(notes).toEqual([expect.stringMatching(/^The last line of .+, line 2, is incomplete and was skipped\.$/)]);
    }
    // All of it but the newline is all of it.
    expect(await readAll(await file('r', line + line.slice(0, -1)))).toEqual([delivery, delivery]);
  });

  test('is repaired before it is appended to', async () => {
    const file = await scratch();
    const line = recordingLine(delivery);
    for (const torn of [line.slice(0, 5), line.slice(0, -9), `{"at":"${'x'.repeat(200_000)}`]) {
      for (const whole of ['', line, line + line]) {
        const { notes, output } = noting();
        const path = await file('r', whole + torn);
        const writer = await openRecording(path, { output, limit: LIMIT });
        await writer.write(delivery);
        await writer.close();
        expect(await readFile(path, 'utf8')).toBe(whole + line);
        expect(notes).toEqual([expect.stringContaining('ended with an incomplete line')]);
      }
    }
  });

  test.each(['my notes, without a newline', 'a\nb', '[]'])(
    'nothing is added to or cut from another file: %j',
    async (text) => {
      const path = await (await scratch())('notes.txt', text);
      await expect(openRecording(path, { ...noting(), limit: LIMIT })).rejects.toThrow(
        'is not a recording: choose another file',
      );
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

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

  test('with a last line that is JSON but not a delivery is refused, with and without its newline', async () => {
    const whole = recordingLine(delivery);
    for (const end of ['', '\n']) {
      const path = await (await scratch())('r', `${whole}{"at":"yesterday"}${end}`);
      await expect(readAll(path)).rejects.toThrow(`Line 2 of ${path} is not a recorded delivery: "at" is not a time.`);
    }
  });

  test('that does not exist or is a directory is refused', async () => {
    const path = await (await scratch())('r');
    await expect(readAll(path)).rejects.toThrow(`Cannot read ${path}: the file does not exist.`);
    await expect(readAll('/tmp')).rejects.toThrow('Cannot read /tmp: it is a directory.');
    await expect(openRecording('/tmp', { ...noting(), limit: LIMIT })).rejects.toThrow(
      'Cannot write /tmp: it is a directory.',
    );
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

  test('is read to its end when another file takes its place', async () => {
    const replace = async (path: string) => {
      await rename(path, `${path}.old`);
      await writeFile(path, 'something else');
    };
    const once = (path: string, count: number) => (count === 1 ? replace(path) : Promise.resolve());
    expect(await readWhile(once, [long('/1'), long('/2')])).toEqual({ paths: ['/1', '/2'], notes: [] });
  });

  // Only root can become a user who may not read it.
  if (process.geteuid?.() === 0)
    test('is refused when it may not be read', async () => {
      const file = await scratch();
      const path = await file('r', recordingLine(delivery), 0o600);
      await chmod(await file('.'), 0o755);
      process.seteuid?.(65_534);
      try {
        await expect(readAll(path)).rejects.toThrow(`Cannot read ${path}: permission denied.`);
      } finally {
        process.seteuid?.(0);
      }
    });
});

describe('one delivery of a recording', () => {
  test('is the only one, or the one that is said', async () => {
    const file = await scratch();
    const second = { ...delivery, path: '/2' };
    const [one, two] = [
      await file('one', recordingLine(delivery)),
      await file('two', recordingLine(delivery) + recordingLine(second)),
    ];
    const { output } = noting();
    expect(await recordedDelivery(one, undefined, output)).toEqual(delivery);
    expect(await recordedDelivery(two, 2, output)).toEqual(second);
    await expect(recordedDelivery(two, undefined, output)).rejects.toThrow(
      'has 2 deliveries: choose one with --nth, from 1 to 2',
    );
    await expect(recordedDelivery(two, 3, output)).rejects.toThrow('has 2 deliveries: --nth 3 does not exist');
    await expect(recordedDelivery(one, 2, output)).rejects.toThrow('has 1 delivery: --nth 2 does not exist');
    await expect(recordedDelivery(await file('none', ''), undefined, output)).rejects.toThrow('has no deliveries');
  });

  test('stays readable when a disk that was full has room again', async () => {
    const file = await scratch();
    const path = await file('full.ndjson', '');
    const [writer, reader] = ['recording-writer', 'recording'].map((name) =>
      JSON.stringify(new URL(`../../src/cli/${name}.ts`, import.meta.url).href),
    );
    // One delivery is larger than files may be there, which the system tells as it tells of a full disk: half way.
    const script = `
      const { openRecording } = await import(${writer});
      const { readRecording } = await import(${reader});
      const recording = await openRecording(${JSON.stringify(path)}, { output: { note: console.log }, limit: 1e6 });
      const delivery = (length) => ({ at: 0, method: 'POST', path: '/', headers: [], body: Buffer.alloc(length) });
      for (const length of [10, 20_000, 30]) await recording.write(delivery(length));
      await recording.close();
      for await (const { body } of readRecording(${JSON.stringify(path)}, { note() {} })) console.log(body.length);`;
    const limited = [
      '-c',
      'ulimit -f 16; exec "$@"',
      'bash',
      process.execPath,
      '--import',
      'tsx',
      '--input-type=module',
    ];
    const { stdout } = await promisify(execFile)('bash', [...limited, '-e', script]);
    expect(stdout.trim().split('\n')).toEqual([
      `Deliveries are not recorded. Cannot write ${path}: the file size limit is reached.`,
      'Not recorded: 0 authentic and 1 other deliveries.',
      '10',
      '30',
    ]);
  }, 30_000);
});
