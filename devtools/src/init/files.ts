import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { HOSTS, STORES, type StorePart, TEMPLATES, TEMPLATES_FOLDER, TEST, type Template } from './parts.js';
import type { Project } from './project.js';

/** Texts by their paths in the user's folder. */
export type Files = Map<string, string>;

/** In the package, beside the program; in the repository, where the examples are. */
const copied = new URL('templates/', import.meta.url);
const root = existsSync(copied) ? copied : new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const SECRET = `# The secret of the webhook. npx event-webhooks send and listen read it too.
WEBHOOK_SECRET=whsec-development
`;
const GITIGNORE = 'node_modules\ndist\n.next\n.wrangler\n.env\n.dev.vars\n';
const compose = (service: string) => `services:\n  ${service}\n`;

/** The files of a template. */
export function templateFiles(name: string): Files {
  const { store = 'memory', host, files = {} } = TEMPLATES[name] as Template;
  const { file: receiver, env, service }: StorePart = STORES[store];
  const found: Files = new Map();
  const own = `${TEMPLATES_FOLDER}/${name}/`;
  for (const path of readdirSync(new URL(own, root), { recursive: true, encoding: 'utf8' })) {
    const file = path.replaceAll('\\', '/');
    if (/\.\w+$/.test(file)) found.set(file, read(own + file));
  }
  for (const [path, file] of Object.entries(files)) found.set(path, read(file));
  if (host) {
    const isNext = host === 'next';
    found.set('webhooks/receiver.ts', read(receiver));
    found.set('webhooks/receiver.test.ts', read(TEST));
    found.set(
      isNext ? 'app/webhooks/route.ts' : 'webhooks/route.ts',
      route(HOSTS[host].file, isNext ? '../../webhooks/receiver' : undefined),
    );
  }
  found.set('.env.example', `${SECRET}${env}\n`);
  found.set('.gitignore', GITIGNORE);
  if (service) found.set('compose.yaml', compose(service));
  return found;
}

const route = (file: string, receiver: string | undefined) =>
  receiver ? read(file).replace('./receiver.js', receiver) : read(file);

const TEST_IMPORTS = {
  node: "import { after, before, test } from 'node:test';",
  vitest: "import { afterAll as after, beforeAll as before, test } from 'vitest';",
  jest: "import { afterAll as after, beforeAll as before, test } from '@jest/globals';",
};

/** The files for an existing project: a receiver with its store, a route, a test, and the variables. */
export function projectFiles(
  { host, store, tests, root: folder, prismaClient }: Project,
  hasAppRouter: boolean,
): Files {
  const { file } = HOSTS[host];
  const receiver = `${folder}webhooks/receiver.ts`;
  const isNext = host === 'next';
  const place = isNext && hasAppRouter ? `${folder}app/webhooks/route.ts` : `${folder}webhooks/route.ts`;
  const generated = prismaClient && posix.relative(`${folder}webhooks`, isNext ? prismaClient : `${prismaClient}.js`);
  const client = generated ?? '@prisma/client';
  return new Map([
    [receiver, read(STORES[store].file).replace('../generated/postgres/index.js', client)],
    [place, route(file, isNext ? '../../webhooks/receiver' : undefined)],
    [`${folder}webhooks/receiver.test.ts`, read(TEST).replace(TEST_IMPORTS.node, TEST_IMPORTS[tests])],
    ['.env.example', `${SECRET}${STORES[store].env}\n`],
  ]);
}
