import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Gives `work` a folder outside of the project that has the package installed, as a user's has: the project's own
 * tsconfig.json would lead a bundler to the sources. The folder is gone when `work` is done.
 */
export async function withConsumer(work) {
  const folder = mkdtempSync(join(tmpdir(), 'event-webhook-bench-'));
  const installed = join(folder, 'node_modules', 'event-webhook-receiver');
  try {
    cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(installed, 'package.json'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
