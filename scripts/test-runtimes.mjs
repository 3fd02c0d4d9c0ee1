// `npm run test:runtimes`: the conformance suite in every runtime. Fetches the runtimes through npm where they are not
// there in the pinned versions, builds, and runs test/runtimes; arguments go to vitest. `--install` only fetches.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const runtimes = fileURLToPath(new URL('../test/runtimes', import.meta.url));

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** What is not installed in the version that package.json pins. */
function missing() {
  const { dependencies } = readJson(`${runtimes}/package.json`);
  return Object.entries(dependencies).filter(([name, pin]) => {
    try {
      return readJson(`${runtimes}/node_modules/${name}/package.json`).version !== pin.split('@').at(-1);
    } catch {
      return true;
    }
  });
}

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const args = process.argv.slice(2);
if (missing().length > 0) {
  console.log(
    `fetching ${missing()
      .map(([name]) => name)
      .join(', ')}`,
  );
  run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], runtimes);
}
if (!args.includes('--install')) {
  run(process.execPath, [`${root}/node_modules/tsup/dist/cli-default.js`, '--silent'], root);
  run(process.execPath, [`${root}/node_modules/vitest/vitest.mjs`, 'run', 'test/runtimes', ...args], root);
}
