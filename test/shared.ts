import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

// Vectors and samples beside the project, in ../shared. A clone of the project alone does not have them: test files that
// need them for every suite end in .shared.test.ts, and scripts/tiers.mjs leaves them out there.
const root = fileURLToPath(new URL('../../shared/', import.meta.url));

/** Whether a file is in ../shared. */
export function hasShared(path: string): boolean {
  return existsSync(join(root, path));
}

/** The bytes of a file in ../shared. */
export function sharedBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(join(root, path)));
}

/** The text of a file in ../shared. */
export function sharedText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A suite over files in ../shared, which is registered only where they are. */
export function describeShared(title: string, path: string, suite: () => void): void {
  if (hasShared(path)) describe(title, suite);
}
