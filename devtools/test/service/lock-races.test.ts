import type * as fs from 'node:fs';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { lockFile } from '../../src/service/lock.js';

/** What happens just before a call of node:fs, as if another process did it. */
const before = vi.hoisted(() => ({
  link: (_lock: string) => {},
  read: (_file: string) => {},
  rename: (_lock: string) => {},
}));
const still = { ...before };

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    linkSync(from: string, to: string) {
      before.link(to);
      real.linkSync(from, to);
    },
    readFileSync(file: string, encoding: 'utf8') {
      before.read(file);
      return real.readFileSync(file, encoding);
    },
    renameSync(from: string, to: string) {
      before.rename(from);
      real.renameSync(from, to);
    },
  };
});

const directory = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => void Object.assign(before, still));

let files = 0;
const newFile = () => join(directory, `file-${++files}`);
const left = (file: string) => readdirSync(directory).filter((name) => join(directory, name).startsWith(file));
const fails = (code: string) => {
  throw Object.assign(new Error(code), { code });
};
/** No process has so high a number. */
const DEAD = '4194304999 1';

it('is taken when it is given back at the moment at which it is looked at', () => {
  const file = newFile();
  const giveBack = lockFile(file);
  before.read = (path) => {
    if (path === `${file}.lock` && existsSync(path)) giveBack();
  };
  const unlock = lockFile(file);
  expect(left(file)).toHaveLength(1);
  unlock();
  expect(left(file)).toEqual([]);
});

it('is put back when another process took it just as it was being cleared away', () => {
  const file = newFile();
  writeFileSync(`${file}.lock`, DEAD);
  const stat = `/proc/${process.ppid}/stat`;
  // Of a system that tells when a process began.
  const start = existsSync(stat)
    ? readFileSync(stat, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19]
    : '';
  before.rename = (lock) => {
    before.rename = still.rename;
    writeFileSync(lock, `${process.ppid} ${start}`);
  };
  expect(() => lockFile(file)).toThrow(`is in use by process ${process.ppid}`);
  expect(left(file)).toEqual([`${file.slice(directory.length + 1)}.lock`]);
});

it('is not taken where the file system cannot make it, and nothing is left there', () => {
  const file = newFile();
  before.link = () => fails('EPERM');
  expect(() => lockFile(file)).toThrow('EPERM');
  expect(left(file)).toEqual([]);
});

it('keeps a second service out, and is taken over from a dead process, where no system tells when one began', () => {
  const file = newFile();
  before.read = (path) => {
    if (path.startsWith('/proc/')) fails('ENOENT');
  };
  const unlock = lockFile(file);
  expect(() => lockFile(file)).toThrow(`is in use by process ${process.pid}`);
  unlock();
  // A process of an earlier run may have had this one's number.
  writeFileSync(`${file}.lock`, `${process.pid} `);
  lockFile(file)();
  expect(left(file)).toEqual([]);
});
