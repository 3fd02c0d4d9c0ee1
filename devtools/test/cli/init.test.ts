import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqlDdl } from '../../../src/stores/sql/index.js';
import { TEMPLATES } from '../../src/init/parts.js';
import { inProcess } from './tool.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'init-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (path: string, text: string) => writeFile(join(folder, path), text);
const read = (path: string) => readFile(join(folder, path), 'utf8');
const files = async () => (await readdir(folder, { recursive: true })).filter((path) => /\.\w+$/.test(path)).sort();
const withPackages = (...names: string[]) =>
  write('package.json', JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) }));

describe('init with a template', () => {
  it.each(Object.keys(TEMPLATES))('writes a project that has what its scripts name: %s', async (name) => {
    const { code, stdout } = await inProcess(['init', join(folder, 'new'), '--template', name]);
    expect(code).toBe(0);
    const { scripts, dependencies } = JSON.parse(await read('new/package.json'));
    const written = await files();
    const named = Object.values<string>(scripts).flatMap((script) => script.match(/[\w./]+\.ts\b/g) ?? []);
    for (const path of named) expect(written).toContain(`new/${path}`);
    expect(dependencies['event-webhook-receiver']).toBeDefined();
    expect(await read('new/.env.example')).toContain('WEBHOOK_SECRET=');
    for (const [, script] of stdout.matchAll(/npm run (\w+)/g)) expect(Object.keys(scripts)).toContain(script);
  });

  it('is a usage error for a template that does not exist, and names those that do', async () => {
    const { code, stderr } = await inProcess(['init', folder, '--template', 'rails']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('express-postgres')]);
  });

  it('refuses a folder that has a project, or a file that it would write', async () => {
    await withPackages('express');
    expect((await inProcess(['init', folder, '--template', 'worker-d1'])).code).toBe(2);
    await rm(join(folder, 'package.json'));
    await write('wrangler.jsonc', 'mine');
    const { code, stderr } = await inProcess(['init', folder, '--template', 'worker-d1']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('wrangler.jsonc')]);
    expect(await files()).toEqual(['wrangler.jsonc']);
  });

  it('gives D1 the tables of the store', async () => {
    await inProcess(['init', folder, '--template', 'worker-d1']);
    const migration = await read('migrations/0001_webhooks.sql');
    for (const statement of sqlDdl({ dialect: 'sqlite' })) expect(migration).toContain(`${statement};`);
  });
});

describe('init in a project', () => {
  it.each([
    [['express', 'pg'], 'expressHandler', 'fromPg', 'before app.use(express.json())'],
    [['fastify', 'mysql2'], 'fastifyPlugin', 'fromMysql2', 'app.register(webhooks'],
    [['@nestjs/platform-express', 'express', 'typeorm', 'pg'], 'expressHandler', 'fromTypeOrm', 'in main.ts'],
    [['express', 'kysely', 'pg'], 'expressHandler', 'fromKysely', ''],
    [['hono', 'knex', 'pg'], 'fetchHandler', 'fromKnex', ''],
    [['fastify', '@prisma/client', '@prisma/adapter-pg', 'pg'], 'fastifyPlugin', "from '@prisma/client'", ''],
    [['hono', 'ioredis'], 'fetchHandler', 'redisStore', 'c.req.raw'],
    [['@types/aws-lambda', '@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'], 'lambdaHandler', 'dynamodbStore', ''],
    [[], 'nodeHandler', 'received.push', 'createServer(webhooks)'],
  ])('writes what fits %j', async (packages, handler, store, line) => {
    await withPackages(...packages);
    await mkdir(join(folder, 'src'));
    const { code, stdout } = await inProcess(['init', folder]);
    expect(code).toBe(0);
    expect(await files()).toEqual([
      ...['.env.example', 'package.json', 'src/webhooks/receiver.test.ts', 'src/webhooks/receiver.ts'],
      'src/webhooks/route.ts',
    ]);
    expect(await read('src/webhooks/route.ts')).toContain(handler);
    expect(await read('src/webhooks/receiver.ts')).toContain(store);
    expect(stdout).toContain(line);
  });

  it('puts the route of Next.js where its router looks for it', async () => {
    await withPackages('next', 'drizzle-orm', 'pg', 'vitest');
    await mkdir(join(folder, 'src/app'), { recursive: true });
    await inProcess(['init', folder]);
    expect(await read('src/app/webhooks/route.ts')).toContain("from '../../webhooks/receiver'");
    expect(await read('src/webhooks/receiver.ts')).toContain('fromDrizzle');
    expect(await read('src/webhooks/receiver.test.ts')).toContain("from 'vitest'");
  });

  it('writes a test for the runner of the project, and says what to do with TypeScript where there is none', async () => {
    await withPackages('express', 'jest', 'typescript');
    const { stdout, stderr } = await inProcess(['init', folder, '--json']);
    expect(await read('webhooks/receiver.test.ts')).toContain("from '@jest/globals'");
    expect([stdout.includes('Then:'), stderr.includes('The files are TypeScript')]).toEqual([false, false]);
    await withPackages('express');
    expect((await inProcess(['init', folder])).stderr).toContain('The files are TypeScript');
  });

  it('puts the route of Next.js beside the receiver in a project without its app router', async () => {
    await withPackages('next', 'pg');
    await inProcess(['init', folder]);
    expect(await read('webhooks/route.ts')).toContain("from './receiver'");
  });

  it.each([
    ['prisma-client', 'express', "'../../lib/db/client.js'"],
    ['prisma-client-js', 'express', "'../../lib/db/index.js'"],
    ['prisma-client', 'next', "'../../lib/db/client'"],
  ])('imports the client of Prisma from where %s generates it, with %s', async (provider, host, client) => {
    await withPackages(host, '@prisma/client', '@prisma/adapter-pg');
    await mkdir(join(folder, 'prisma'));
    await mkdir(join(folder, 'src'));
    const zod = 'generator zod {\n  provider = "zod-prisma"\n  output = "./zod"\n}';
    await write(
      'prisma/schema.prisma',
      `${zod}\ngenerator js {\n  provider = "${provider}"\n  output   = "../lib/db"\n}`,
    );
    await inProcess(['init', folder]);
    expect(await read('src/webhooks/receiver.ts')).toContain(`{ PrismaClient } from ${client}`);
  });

  it('says which page to read for a client that it has no file for', async () => {
    await withPackages('express', '@prisma/client');
    const { stderr } = await inProcess(['init', folder]);
    expect(stderr).toContain('For @prisma/client');
    expect(stderr).toContain('event-webhook-receiver/docs/stores/index.md');
  });

  it('keeps a file that exists, even a link that leads nowhere', async () => {
    await withPackages('express');
    await write('.env.example', 'MINE=1');
    await mkdir(join(folder, 'webhooks'));
    await write('webhooks/route.ts', 'mine');
    const { stdout } = await inProcess(['init', folder]);
    expect(stdout).toContain('kept    webhooks/route.ts');
    expect([await read('.env.example'), await read('webhooks/route.ts')]).toEqual(['MINE=1', 'mine']);

    await rm(join(folder, 'webhooks/receiver.ts'));
    await symlink('/nowhere/receiver.ts', join(folder, 'webhooks/receiver.ts'));
    expect((await inProcess(['init', folder])).code).toBe(2);
  });

  it('prints the files and writes nothing with --dry-run', async () => {
    await withPackages('express', 'pg');
    const { stdout } = await inProcess(['init', folder, '--dry-run']);
    expect(stdout).toContain('expressHandler(receiver)');
    expect(await files()).toEqual(['package.json']);
    const { stdout: lines } = await inProcess(['init', folder, '--dry-run', '--json']);
    const [first] = lines.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ path: 'webhooks/receiver.ts', written: false });
  });

  it.each([
    ['no package.json', undefined, 'init <folder> --template'],
    ['a package.json that is no JSON', '{', 'package.json cannot be read'],
  ])('is an error with %s', async (_title, manifest, message) => {
    if (manifest) await write('package.json', manifest);
    const { code, stderr } = await inProcess(['init', folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
