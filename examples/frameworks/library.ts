import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const name = 'event-webhook-receiver';
const project = fileURLToPath(new URL('../..', import.meta.url));
const modules = fileURLToPath(new URL('./node_modules', import.meta.url));

/**
 * Installs the library here as `npm install` would: packed from what was built. Any number of processes may do so at once.
 * With `types`, its declarations are built first if they were not.
 */
export async function installLibrary({ types = false } = {}): Promise<void> {
  if (types && !existsSync(join(project, 'dist/index.d.ts'))) {
    await run(process.execPath, [join(project, 'node_modules/tsup/dist/cli-default.js'), '--silent'], { cwd: project });
  }
  if (!existsSync(join(project, 'dist/index.js'))) throw new Error('The library is not built: npm run build.');
  const directory = await mkdtemp(join(tmpdir(), 'pack-'));
  try {
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', directory];
    const npm = { cwd: project, shell: process.platform === 'win32' };
    const [{ filename, shasum }] = JSON.parse((await run('npm', pack, npm)).stdout);
    const unpacked = `.${name}-${shasum}`;
    const made = await mkdtemp(join(modules, `.${name}-new-`));
    await run('tar', ['-xzf', join(directory, filename), '-C', made, '--strip-components=1']);
    // Another process may have been first with the same.
    await rename(made, join(modules, unpacked)).catch(() => rm(made, { recursive: true }));
    await pointTo(unpacked);
    for (const old of await readdir(modules)) {
      if (/-[0-9a-f]{40}$/.test(old) && old.startsWith(`.${name}-`) && old !== unpacked) {
        await rm(join(modules, old), { recursive: true, force: true });
      }
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Replaces the link in one step, so that nobody ever finds none. */
async function pointTo(unpacked: string): Promise<void> {
  const link = join(modules, name);
  const before = await lstat(link).catch(() => undefined);
  if (before?.isDirectory()) await rm(link, { recursive: true });
  const directory = await mkdtemp(join(modules, `.${name}-link-`));
  await symlink(join(modules, unpacked), join(directory, name), 'junction');
  await rename(join(directory, name), link);
  await rm(directory, { recursive: true });
}
