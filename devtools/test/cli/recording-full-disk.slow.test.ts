import fs, { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { openRecording } from '../../src/cli/recording-writer.js';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { delivery, LIMIT, noting, readAll } from './recordings.js';
import { scratch } from './tool.js';

/** How many bytes the disk still takes. */
const disk = { room: Number.POSITIVE_INFINITY, code: 'ENOSPC' };
afterEach(() => void Object.assign(disk, { room: Number.POSITIVE_INFINITY }));

const { open } = fs;
beforeAll(() => {
  vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
    const file = await open(...args);
    const put = file.write.bind(file);
    // As write(2): what there is room for, and an error where there is none.
    const write = async (bytes: Buffer, offset = 0) => {
      if (disk.room === 0) throw Object.assign(new Error('the disk fails'), { code: disk.code });
      const { bytesWritten } = await put(bytes, offset, Math.min(bytes.length - offset, disk.room));
      disk.room -= bytesWritten;
      return { bytesWritten };
    };
    return Object.assign(file, { write });
  });
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const at = (path: string) => ({ ...delivery, path, authentic: true });
const reasons = [
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is exceeded'],
  ['EROFS', 'its file system is read-only'],
  ['EIO', 'EIO'],
] as const;

it.each(reasons)('a disk that fails with %s loses only the deliveries it rejects', async (code, reason) => {
  const path = await (await scratch())('r');
  const { notes, output } = noting();
  const writer = await openRecording(path, { output, limit: LIMIT });
  await writer.write(at('/1'));
  Object.assign(disk, { room: 10, code });
  await writer.write(at('/2'));
  await writer.write(at('/3'));
  disk.room = Number.POSITIVE_INFINITY;
  await writer.write(at('/4'));
  await writer.close();
  const torn = recordingLine(at('/2')).slice(0, 10);
  expect(await readFile(path, 'utf8')).toBe(`${recordingLine(at('/1'))}${torn}\n${recordingLine(at('/4'))}`);
  expect((await readAll(path)).map((each) => each.path)).toEqual(['/1', '/4']);
  expect(notes).toEqual([
    `Deliveries are not recorded. Cannot write ${path}: ${reason}.`,
    'Not recorded: 2 authentic and 0 other deliveries.',
  ]);
});
