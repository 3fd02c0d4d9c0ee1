import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

type Environment = Record<string, string | undefined>;

/** How a recipe is built and started, each time in its own folder. */
interface Recipe {
  /** What has to be installed for it. */
  readonly needs: string;
  /** How npm installs that. */
  readonly install: readonly (readonly string[])[];
  readonly build?: readonly string[];
  /** `$PORT` in it is replaced. */
  readonly start: readonly string[];
  readonly env?: Environment;
  /** Where it takes deliveries. (Default: `/webhooks`.) */
  readonly paths?: readonly string[];
  /** Its folder. (Default: its name.) */
  readonly folder?: string;
  /** Whether it has its keys in the Postgres of `DATABASE_URL`. */
  readonly needsPostgres?: true;
}

const packages = path('node_modules/');
const runtimes = path('../../test/runtimes/node_modules/');

const npmInstall = (folder: string) => ['install', '--no-package-lock', '--prefix', path(folder)];
const installPackages = [npmInstall('.')];
// All need the packed library and what that needs, which stand among the packages.
const installRuntimes = [npmInstall('.'), npmInstall('../../test/runtimes')];
const inTsx = (program: string) => [process.execPath, '--import', 'tsx', program];
const server = inTsx('server.ts');

const bun = process.env.TEST_BUN || `${runtimes}.bin/bun`;
const deno = process.env.TEST_DENO || `${runtimes}.bin/deno`;

const inNode = (name: string): Recipe => ({ needs: packages + name, install: installPackages, start: server });

/** Its output has no colors, so that lines are found in it. */
const nest = (program: string): Recipe => ({
  ...inNode('@nestjs/core'),
  start: inTsx(program),
  env: { NO_COLOR: '1' },
  folder: 'nest',
  needsPostgres: true,
});

const functions = `${packages}@google-cloud/functions-framework`;

export const recipes = {
  hono: inNode('@hono/node-server'),
  koa: inNode('koa'),
  hapi: inNode('@hapi/hapi'),
  nest: nest('main.ts'),
  'nest-fastify': nest('main-fastify.ts'),
  'nest-controller': nest('main-controller.ts'),
  h3: inNode('h3'),
  'google-cloud-functions': {
    ...inNode('@google-cloud/functions-framework'),
    start: [
      process.execPath,
      ...['--import', 'tsx', `${functions}/build/src/main.js`, '--target=webhooks', '--source=index.ts'],
    ],
  },
  'azure-functions': {
    ...inNode('@azure/functions'),
    start: [process.execPath, '--import', 'tsx', 'serve.ts'],
    paths: ['/api/webhooks'],
  },
  next: {
    ...inNode('next'),
    build: [process.execPath, `${packages}next/dist/bin/next`, 'build'],
    start: [process.execPath, `${packages}next/dist/bin/next`, 'start', '-H', '127.0.0.1'],
    paths: ['/webhooks', '/edge/webhooks', '/api/webhooks'],
  },
  nitro: {
    ...inNode('nitro'),
    build: [process.execPath, `${packages}nitro/dist/cli/index.mjs`, 'build'],
    start: [process.execPath, '.output/server/index.mjs'],
  },
  sveltekit: {
    ...inNode('@sveltejs/kit'),
    build: [process.execPath, `${packages}vite/bin/vite.js`, 'build'],
    start: [process.execPath, 'build'],
    env: { BODY_SIZE_LIMIT: '11M' },
  },
  bun: {
    needs: bun,
    install: installRuntimes,
    start: [bun, 'server.ts'],
  },
  deno: {
    needs: deno,
    install: installRuntimes,
    start: [deno, ...['run', '--allow-net', '--allow-env', '--node-modules-dir=manual', 'server.ts']],
  },
  vercel: {
    needs: `${runtimes}@vercel/node`,
    install: installRuntimes,
    start: [process.execPath, '--import', 'tsx', 'serve.ts'],
    paths: ['/api/webhooks', '/api/node/webhooks'],
  },
  'deno-serve': {
    needs: deno,
    install: installRuntimes,
    start: [deno, ...['serve', '--allow-env', '--node-modules-dir=manual', '--port=$PORT', 'serve.ts']],
    folder: 'deno',
  },
  elysia: {
    needs: bun,
    install: installRuntimes,
    start: [bun, 'server.ts'],
  },
  'elysia-node': { ...inNode('@elysiajs/node'), start: inTsx('server-node.ts'), folder: 'elysia' },
  worker: {
    needs: `${runtimes}miniflare`,
    install: installRuntimes,
    start: [process.execPath, '--import', 'tsx', 'serve.ts'],
  },
} as const satisfies Record<string, Recipe>;

export type RecipeName = keyof typeof recipes;

export const isRecipe = (name: string): name is RecipeName => Object.hasOwn(recipes, name);

export const isInstalled = (name: RecipeName): boolean =>
  existsSync(`${packages}zod`) && existsSync(recipes[name].needs);

const folderOf = (name: RecipeName): string => (recipes[name] as Recipe).folder ?? name;

/** Whether a recipe needs the Postgres of `DATABASE_URL`. */
export const needsDatabase = (name: RecipeName): boolean => (recipes[name] as Recipe).needsPostgres ?? false;

/** Where a recipe takes deliveries. */
export const pathsOf = (name: RecipeName): readonly string[] => (recipes[name] as Recipe).paths ?? ['/webhooks'];

function run(name: RecipeName, [command = '', ...args]: readonly string[], env: Environment): ChildProcess {
  return spawn(command, args, {
    cwd: path(folderOf(name)),
    env: {
      ...(process.env as Environment),
      NEXT_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      TSX_TSCONFIG_PATH: path('tsconfig.json'),
      ...(recipes[name] as Recipe).env,
      ...env,
    } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Builds what has to be built before it starts. */
export async function buildRecipe(name: RecipeName): Promise<void> {
  const { build } = recipes[name] as Recipe;
  if (build === undefined) return;
  // A build is made where the secret is not known.
  const child = run(name, build, { WEBHOOK_SECRET: undefined });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`The build of ${name} failed:\n${Buffer.concat(printed)}`);
}

/** Starts a recipe; resolves when it listens. Every line that it prints goes to `onLine`. */
export async function startRecipe(
  name: RecipeName,
  options: { port: number; secret: string; onLine: (line: string) => void; env?: Environment },
): Promise<ChildProcess> {
  const { port, secret, onLine, env } = options;
  const command = recipes[name].start.map((part) => part.replace('$PORT', String(port)));
  const child = run(name, command, { WEBHOOK_SECRET: secret, PORT: String(port), ...env });
  let ended: unknown;
  child.once('error', (error) => {
    ended = error;
  });
  child.once('exit', (code) => {
    ended ??= new Error(`${name} ended with ${code}.`);
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', onLine);
  }
  // Not all of them say when they listen.
  while (!(await listens(port))) {
    if (ended !== undefined) throw ended;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.end();
  });
}
