import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

// Vectors and samples that lie beside the project, in ../shared. A clone of the project alone does not have them.
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

/** A suite over files in ../shared. Without them it is skipped, and its name says so. */
export function describeShared(title: string, path: string, suite: () => void): void {
  const present = hasShared(path);
  describe.skipIf(!present)(present ? title : `${title} (skipped: ../shared/${path} is not there)`, () => {
    if (present) suite();
    else it(`needs ../shared/${path}`, () => {});
  });
}
