import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Whether the package of a folder's package.json is installed there in the version that this pins. */
export function isInstalled(folder, [name, pin]) {
  try {
    return readJson(`${folder}/node_modules/${name}/package.json`).version === pin.split('@').at(-1);
  } catch {
    return false;
  }
}

/** Runs a program. Ends this process with its code if it fails. */
export async function run(command, args, { cwd = root, env = process.env, stdout = 'inherit' } = {}) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', stdout, 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) process.exit(code ?? 1);
}

/** Installs what a folder's package.json pins and the folder lacks. Prints to stderr only: a caller may print JSON. */
export async function installPins(folder, more = []) {
  const pins = [...Object.entries(readJson(`${folder}/package.json`).dependencies), ...more];
  const missing = pins.filter((pin) => !isInstalled(folder, pin));
  if (missing.length === 0) return;
  console.error(`fetching ${missing.map(([name]) => name).join(', ')}`);
  const packages = more.map(([name, pin]) => `${name}@${pin}`);
  await run('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdout: 2,
  });
}
