import { appendFile, readFile, stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openRecording } from '../../src/cli/recording-writer.js';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { delivery, LIMIT, noting, readAll } from './recordings.js';
import { scratch } from './tool.js';

const MIB = 1024 * 1024;
const of = (path: string, authentic: boolean, bytes = 0) => ({
  ...delivery,
  path,
  authentic,
  body: Buffer.alloc(bytes, path),
});

it('two listeners on one recording do not mix their lines, however large these are', async () => {
  const path = await (await scratch())('r');
  const { output } = noting();
  const writers = [
    await openRecording(path, { output, limit: LIMIT }),
    await openRecording(path, { output, limit: LIMIT }),
  ];
  const sent = writers.flatMap((writer, index) =>
    [1, 2, 3].map((nth) => ({ writer, each: of(`/${index}-${nth}`, true, 3 * MIB) })),
  );
  await Promise.all(sent.map(({ writer, each }) => writer.write(each)));
  for (const writer of writers) await writer.close();
  const found = await readAll(path);
  const expected = new Map(sent.map(({ each }) => [each.path, each.body]));
  expect(found).toHaveLength(6);
  for (const { path, body } of found) expect(expected.get(path)?.equals(body), path).toBe(true);
});

it('two listeners on one recording leave forgeries a quarter of it together', async () => {
  const path = await (await scratch())('r');
  const { output } = noting();
  const writers = [
    await openRecording(path, { output, limit: MIB }),
    await openRecording(path, { output, limit: MIB }),
  ];
  for (let count = 0; count < 20; count++) {
    for (const writer of writers) await writer.write(of('/forged', false, 20_000));
  }
  expect((await stat(path)).size).toBeLessThanOrEqual(MIB / 4);
  for (const writer of writers) await writer.write(of('/authentic', true, 200_000));
  for (const writer of writers) await writer.close();
  expect((await readAll(path)).filter(({ authentic }) => authentic)).toHaveLength(2);
});

it('a line that another program leaves incomplete does not take the next one with it', async () => {
  const path = await (await scratch())('r');
  const writer = await openRecording(path, { ...noting(), limit: LIMIT });
  await writer.write(of('/1', true));
  await appendFile(path, '{"at":"half');
  await writer.write(of('/2', true));
  await writer.write(of('/3', true));
  await writer.close();
  expect(await readFile(path, 'utf8')).toBe(
    `${recordingLine(of('/1', true))}{"at":"half\n${recordingLine(of('/2', true))}${recordingLine(of('/3', true))}`,
  );
});
