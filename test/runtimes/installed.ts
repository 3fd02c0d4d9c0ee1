import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What `npm run test:tier runtimes` has installed here, by the path of what is looked for. */
const modules = fileURLToPath(new URL('./node_modules/', import.meta.url));

const BINARIES = {
  node22: 'node22/bin/node',
  node24: 'node24/bin/node',
  bun: '.bin/bun',
  deno: '.bin/deno',
} as const;

/** What stands in the title of a suite that needs what is not installed. */
export const needsRuntimes = ' (skipped: not installed; npm run test:tier runtimes fetches it)';

/** The path of something in the folder of the runtimes, when it is installed. */
export function installed(path: string): string | undefined {
  return existsSync(modules + path) ? modules + path : undefined;
}

/** A runtime's binary: the one that TEST_NODE22, TEST_BUN, … names, or the one that is installed. */
export function binaryOf(runtime: keyof typeof BINARIES): string | undefined {
  return process.env[`TEST_${runtime.toUpperCase()}`] || installed(BINARIES[runtime]);
}
