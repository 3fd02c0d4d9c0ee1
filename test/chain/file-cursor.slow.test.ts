import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fileCursor } from '../../src/chain/file-cursor.js';
import { describeCursor } from '../contracts/cursor.js';

/** How many of the file system's steps are left until the process dies; undefined: it lives. */
let stepsLeft: number | undefined;
/** Runs before a link, as if the process was frozen there. */
let meanwhile: (() => Promise<unknown>) | undefined;

const real = { ...fs };
beforeAll(() => {
  const step = () => {
    if (stepsLeft !== undefined && stepsLeft-- <= 0) throw new Error('killed');
  };
  const stepping =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      step();
      return work(...args);
    };
  Object.assign(fs, {
    readdir: stepping(real.readdir as () => Promise<unknown>),
    readFile: stepping(real.readFile as () => Promise<unknown>),
    rm: stepping(real.rm),
    stat: stepping(real.stat as () => Promise<unknown>),
    async link(from: string, to: string) {
      step();
      const frozen = meanwhile;
      meanwhile = undefined;
      await frozen?.();
      return real.link(from, to);
    },
    async open(...args: Parameters<typeof fs.open>) {
      step();
      const handle = await real.open(...args);
      return {
        // Half of it is on the disk when the process dies.
        async writeFile(text: string) {
          await handle.writeFile(text.slice(0, 20));
          step();
          await handle.write(text.slice(20));
        },
        sync: stepping(() => handle.sync()),
        close: () => handle.close(),
      };
    },
  });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(fs, real);
  syncBuiltinESMExports();
});

function useDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cursor-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('fileCursor', () => {
  describeCursor(async () => {
    const path = join(useDirectory(), 'one');
    return { named: () => fileCursor(path), other: fileCursor(`${path}.two`) };
  }, 12);

  it('has the old or the new text after a kill between any two steps, and can be written again', async () => {
    const directory = useDirectory();
    const path = join(directory, 'chain');
    const cursor = fileCursor(path);
    let current: string | undefined;
    let isKilled = true;
    for (let steps = 0; isKilled; steps++) {
      const next = `next \ud800 ${steps}`;
      stepsLeft = steps;
      isKilled = await Promise.resolve(cursor.write(next, current)).then(
        () => false,
        () => true,
      );
      // What follows the write is not awaited by anybody who was killed.
      isKilled ||= (stepsLeft as number) < 0;
      stepsLeft = undefined;
      const found = await cursor.read();
      expect([current, next]).toContain(found);
      expect(await cursor.write(`again ${steps}`, found)).toBe(true);
      current = `again ${steps}`;
    }
    const left = readdirSync(directory).filter((name) => name.endsWith('.tmp'));
    expect(left.length).toBeGreaterThan(2);
    for (const name of left) utimesSync(join(directory, name), 0, 0);
    expect(await cursor.write('tidy', current)).toBe(true);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it('does not go back when a process continues that was frozen while others wrote', async () => {
    const directory = useDirectory();
    const [frozen, other] = [fileCursor(join(directory, 'chain')), fileCursor(join(directory, 'chain'))];
    await frozen.write('0', undefined);
    meanwhile = async () => {
      for (let n = 0; n < 5; n++) expect(await other.write(String(n + 1), String(n))).toBe(true);
    };
    expect(await frozen.write('stale', '0')).toBe(false);
    expect(await frozen.read()).toBe('5');
    expect(readdirSync(directory).sort()).toEqual(['chain.5', 'chain.6']);
  });

  it.each([
    ['is empty', ''],
    ['is cut', '{"value":"7","sha'],
    ['is of another program', '{"next":7}'],
    ['has another digest than its value', `{"value":"7","sha256":"${'0'.repeat(64)}"}`],
  ])('rejects when the newest file %s, and never starts over', async (_, content) => {
    const path = join(useDirectory(), 'chain');
    const cursor = fileCursor(path);
    await cursor.write('6', undefined);
    writeFileSync(`${path}.2`, content);
    const damaged = {
      code: 'ERR_WEBHOOK_STORE',
      message: `The cursor file ${path}.2 is damaged. Delete it to continue from the file before it, or restore it from a backup.`,
    };
    await expect(cursor.read()).rejects.toMatchObject(damaged);
    for (const expected of [undefined, '6', content]) {
      await expect(cursor.write('8', expected)).rejects.toMatchObject(damaged);
    }
    rmSync(`${path}.2`);
    expect(await cursor.read()).toBe('6');
  });

  it('rejects with the reason when the directory is missing', async () => {
    const path = join(useDirectory(), 'missing', 'chain');
    const failed = { code: 'ERR_WEBHOOK_STORE', cause: expect.objectContaining({ code: 'ENOENT' }) };
    await expect(fileCursor(path).read()).rejects.toMatchObject({
      ...failed,
      message: `The cursor ${path} could not be read.`,
    });
    await expect(fileCursor(path).write('1', undefined)).rejects.toMatchObject(failed);
  });

  it.each(['', 'a\0b', 7, undefined])('refuses the path %j', (path) => {
    expect(() => Reflect.apply(fileCursor, undefined, [path])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining('`path` must be') }),
    );
  });
});
