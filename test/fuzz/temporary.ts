import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for this thread, in memory where the system has such a place: SQLite waits for disks. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'fuzz-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
