import { execFileSync } from 'node:child_process';
import { chmod, chown, link, mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRecording } from '../../src/cli/recording-writer.js';
import { registerWanted } from '../../src/cli/registrations.js';
import { recordingLine } from '../../src/deliveries/recorded.js';
import { createLocalService } from '../../src/service/create-local-service.js';
import { fileStorage } from '../../src/service/storage.js';
import { delivery, LIMIT, noting } from './recordings.js';
import { scratch } from './tool.js';

/** Only root can give a file to another user, so some tests exist only for root. */
const isRoot = process.geteuid?.() === 0;
const NOBODY = 65_534;

/** A file as `emulate --file` leaves it. */
const stateFile = await (async () => {
  const directory = await mkdtemp(join(tmpdir(), 'state-'));
  (await fileStorage(join(directory, 'state'))).close();
  const content = await readFile(join(directory, 'state'));
  await rm(directory, { recursive: true });
  return content;
})();

/** What writes to a file that its owner alone may read, and what such a file may hold. */
const writers = {
  '--record': {
    content: recordingLine(delivery),
    async use(path: string) {
      const writer = await openRecording(path, { ...noting(), limit: LIMIT });
      await writer.write(delivery);
      await writer.close();
    },
  },
  '--secret-out of emulate': {
    content: `${'0'.repeat(64)}\n`,
    async use(path: string) {
      const service = await createLocalService();
      onTestFinished(() => service.close());
      const output = { ...noting().output, result() {} };
      await registerWanted({ label: 'a', url: 'http://127.0.0.1:1/' }, { service, secretOut: path, output });
    },
  },
  '--file of emulate': {
    content: stateFile,
    async use(path: string) {
      const storage = await fileStorage(path);
      storage.commit({ key: 'a' });
      storage.close();
    },
  },
};

describe.each(Object.entries(writers))('the file of %s', (_, { use, content }) => {
  it('is for its owner alone, also where everybody could read it before', async () => {
    const file = await scratch();
    for (const [each, before] of [
      ['new', undefined],
      ['empty', ''],
      ['old', content],
    ] as const) {
      const path = await file(each, before);
      if (before !== undefined) await chmod(path, 0o666);
      await use(path);
      expect((await stat(path)).mode & 0o777, each).toBe(0o600);
      expect(await readFile(path, 'utf8')).not.toBe('');
    }
  });

  it('is refused and not changed when it has a second name', async () => {
    const file = await scratch();
    const [path, other] = [await file('r', content), await file('other')];
    await link(path, other);
    await chmod(path, 0o666);
    await expect(use(path)).rejects.toThrow(/it has another name, a hard link/);
    expect([await readFile(other, 'utf8'), (await stat(other)).mode & 0o777]).toEqual([String(content), 0o666]);
  });

  if (isRoot)
    it('is refused and not changed when it belongs to somebody else', async () => {
      const path = await (await scratch())('r', content);
      await chmod(path, 0o666);
      await chown(path, NOBODY, NOBODY);
      await expect(use(path)).rejects.toThrow(/it belongs to another user/);
      expect([await readFile(path, 'utf8'), (await stat(path)).mode & 0o777]).toEqual([String(content), 0o666]);
    });

  it('is refused at once when it is a FIFO, a socket, a device or a directory', async () => {
    const file = await scratch();
    const [fifo, socket, directory] = [await file('fifo'), await file('socket'), await file('directory')];
    execFileSync('mkfifo', [fifo]);
    await mkdir(directory);
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    for (const path of [fifo, socket, '/dev/null', directory]) {
      await expect(use(path), path).rejects.toThrow(/regular file|directory|ENXIO|EISDIR/);
    }
  });

  if (isRoot)
    it('is refused in a directory that may not be written', async () => {
      const file = await scratch();
      const directory = await file('directory');
      await mkdir(directory, { mode: 0o755 });
      await chmod(await file('.'), 0o755);
      process.seteuid?.(NOBODY);
      try {
        await expect(use(`${directory}/r`)).rejects.toThrow(/permission denied|EACCES/);
      } finally {
        process.seteuid?.(0);
      }
    });
});

// The file of `emulate --file` may be a link.
describe.each(['--record', '--secret-out of emulate'] as const)('the file of %s', (name) => {
  const { use, content } = writers[name];
  it('is refused when it is a link, also one that leads nowhere', async () => {
    const file = await scratch();
    const [path, dangling, target] = [await file('link'), await file('dangling'), await file('target', content)];
    await chmod(target, 0o666);
    await symlink(target, path);
    await symlink(await file('nowhere'), dangling);
    await expect(use(path)).rejects.toThrow(/it is a symbolic link/);
    await expect(use(dangling)).rejects.toThrow(/it is a symbolic link/);
    expect([await readFile(target, 'utf8'), (await stat(target)).mode & 0o777]).toEqual([String(content), 0o666]);
    await expect(stat(await file('nowhere'))).rejects.toThrow('ENOENT');
  });
});
