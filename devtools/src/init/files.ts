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
  const { env, service }: StorePart = STORES[store];
  const found: Files = new Map();
  const own = `${TEMPLATES_FOLDER}/${name}/`;
  for (const path of readdirSync(new URL(own, root), { recursive: true, encoding: 'utf8' })) {
    const file = path.replaceAll('\\', '/');
    if (/\.\w+$/.test(file)) found.set(file, read(own + file));
  }
  for (const [path, file] of Object.entries(files)) found.set(path, read(file));
  if (host)
    for (const [path, text] of receiverFiles({ host, store, tests: 'node', root: '', hasAppRouter: true }))
      found.set(path, text);
  found.set('.env.example', `${SECRET}${env}\n`);
  found.set('.gitignore', GITIGNORE);
  if (service) found.set('compose.yaml', compose(service));
  return found;
}

/** The files for an existing project: a receiver with its store, a route, a test, and the variables. */
export function projectFiles(project: Project): Files {
  return receiverFiles(project).set('.env.example', `${SECRET}${STORES[project.store].env}\n`);
}

const TEST_IMPORTS = {
  node: "import { after, before, test } from 'node:test';",
  vitest: "import { afterAll as after, beforeAll as before, test } from 'vitest';",
  jest: "import { afterAll as after, beforeAll as before, test } from '@jest/globals';",
};

type Receiver = Pick<Project, 'host' | 'store' | 'tests' | 'root' | 'hasAppRouter' | 'prismaClient'>;

function receiverFiles({ host, store, tests, root: folder, hasAppRouter, prismaClient }: Receiver): Files {
  const isRoute = host === 'next' && hasAppRouter;
  const js = host === 'next' ? '' : '.js'; // its bundlers find no .ts by .js
  const generated = prismaClient && posix.relative(`${folder}webhooks`, prismaClient + js);
  const client = generated ?? '@prisma/client';
  return new Map([
    [`${folder}webhooks/receiver.ts`, read(STORES[store].file).replace('../generated/postgres/index.js', client)],
    [
      `${folder}${isRoute ? 'app/webhooks' : 'webhooks'}/route.ts`,
      read(HOSTS[host].file).replace('./receiver.js', isRoute ? '../../webhooks/receiver' : `./receiver${js}`),
    ],
    [`${folder}webhooks/receiver.test.ts`, read(TEST).replace(TEST_IMPORTS.node, TEST_IMPORTS[tests])],
  ]);
}
