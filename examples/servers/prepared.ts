import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** With owners and modes: a server refuses to start on files of others. */
const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', `${from}/.`, to]);

/**
 * Fills a data directory from `prepared`, which the first call makes with `initialise`: it takes a server seconds, and what
 * it writes is the same each time. `npm ci` removes what is under `node_modules/.cache`.
 */
export async function fillFrom(prepared: string, directory: string, initialise: () => Promise<unknown>): Promise<void> {
  if (process.platform === 'win32') return void (await initialise());
  if (existsSync(prepared)) return void (await copy(prepared, directory));
  await initialise();
  const own = `${prepared}-${process.pid}-${Date.now()}`;
  await mkdir(dirname(prepared), { recursive: true });
  await mkdir(own);
  await copy(directory, own);
  // Another process may have been first.
  await rename(own, prepared).catch(() => rm(own, { recursive: true }));
}
