import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startDynamoDB } from '../../examples/servers/dynamodb.js';
import { freePort } from '../../examples/servers/free-port.js';
import { hasDynamoDB, needsDynamoDB } from '../servers/dynamodb.js';
import { hasPostgres, needsPostgres, startPostgres } from '../servers/postgres.js';
import { projectRoot, useConsumer } from './consumer.js';

// Every template of `init`, and what it adds to projects with the ORMs, written by the packed command into a folder beside
// the packed packages: it compiles, passes its own test, and `certify`.

const run = promisify(execFile);
const secret = 'whsec-template';

/** Where the packages of the templates are installed. */
const INSTALLED = ['examples/frameworks', 'examples/orms', 'examples/serverless'].map((folder) =>
  join(projectRoot, folder, 'node_modules'),
);
const hasAll = INSTALLED.every((folder) => existsSync(folder));
const needsAll = hasAll ? '' : ' (skipped: npm run test:tier package -- --install)';

describe.skipIf(!hasAll || !hasPostgres)(
  `the templates of init${needsAll}${needsPostgres}`,
  { timeout: 180_000 },
  () => {
    let postgres: Awaited<ReturnType<typeof startPostgres>>;
    const consumer = useConsumer(async () => {
      postgres = await startPostgres();
      for (const modules of INSTALLED) await linkAll(modules);
    });
    afterAll(() => postgres?.stop());

    /** Makes the packages of a folder those of the consumer, apart from what it has. */
    async function linkAll(modules: string): Promise<void> {
      for (const name of await readdir(modules)) {
        if (name.startsWith('.')) continue;
        const names = name.startsWith('@')
          ? (await readdir(join(modules, name))).map((each) => `${name}/${each}`)
          : [name];
        for (const each of names) {
          const link = join(consumer.root, 'node_modules', each);
          await mkdir(dirname(link), { recursive: true });
          await symlink(join(modules, each), link).catch(() => {});
        }
      }
    }

    /** Writes a template, or adds to the project of that name; gives its folder, and what runs its scripts as npm would. */
    async function written(name: string, env: Record<string, string> = {}) {
      const cwd = join(consumer.root, name);
      const tool = join(consumer.root, 'node_modules/.bin/event-webhooks');
      await run(process.execPath, [tool, 'init', cwd, ...(existsSync(cwd) ? [] : ['--template', name])]);
      const { scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
      const environment = { ...process.env, DATABASE_URL: postgres.url, WEBHOOK_SECRET: secret, NO_COLOR: '1', ...env };
      await consumer.write(`${name}/.env`, '');
      await symlink(join(consumer.root, 'node_modules'), join(cwd, 'node_modules'));
      // Turbopack takes no package that is a link.
      const bin = (command: string) =>
        command.replace('next dev', 'next dev --webpack').replace(/^\w+/, (word) => BINARIES[word]?.join(' ') ?? word);
      return {
        cwd,
        env: environment,
        script: (script: string) => run('sh', ['-c', bin(scripts[script])], { cwd, env: environment }),
        /** Starts it on a port; resolves when it takes connections. */
        async serve(command: string): Promise<{ port: number; child: ChildProcess }> {
          const port = await freePort();
          const serving = {
            cwd,
            env: { ...environment, PORT: String(port) },
            stdio: 'ignore' as const,
            detached: true,
          };
          const child = spawn('sh', ['-c', bin(command)], serving);
          await expect
            .poll(async () => (await fetch(`http://127.0.0.1:${port}/webhooks`).catch(() => undefined))?.status, {
              timeout: 60_000,
            })
            .toBeDefined();
          return { port, child };
        },
        /** Type-checks it as its tsconfig.json says, with the compiler that a template has, or with the fastest. */
        compile: (compiler = 'typescript') =>
          run(process.execPath, [join(projectRoot, 'node_modules', compiler, 'bin/tsc'), '--noEmit'], { cwd }),
        async certify(port: number): Promise<string> {
          const options = { env: { ...environment, COLUMNS: '200' } };
          const url = `http://127.0.0.1:${port}/webhooks`;
          return (await run(process.execPath, [tool, 'certify', url], options)).stdout;
        },
      };
    }

    it.each([
      ['express-postgres', 'start', 'dist/server.js'],
      ['nest-typeorm', 'start', 'dist/main.js'],
      ['next-drizzle', 'dev', undefined], // test/recipes builds an app of Next.js
    ])('%s compiles, passes its test, and is certified', async (name, start, built) => {
      const project = await written(name);
      await project.script('test');
      // A build compiles it.
      await (built ? project.script('build') : project.compile());
      if (built) expect(existsSync(join(project.cwd, built))).toBe(true);
      const { scripts } = JSON.parse(await readFile(join(project.cwd, 'package.json'), 'utf8'));
      const { port, child } = await project.serve(scripts[start]);
      try {
        expect(await project.certify(port)).not.toMatch(/^ +failed/m);
      } finally {
        process.kill(-(child.pid as number), 'SIGKILL');
      }
    });

    it.each([['typeorm'], ['@prisma/client', '@prisma/adapter-pg'], ['kysely'], ['knex']])(
      'what it adds to a project with %s compiles and passes its test',
      async (...packages) => {
        const name = packages[0].replace(/\W/g, '');
        const dependencies = Object.fromEntries([...packages, 'pg'].map((each) => [each, '1']));
        const scripts = { test: 'node --import tsx --test src/webhooks/receiver.test.ts' };
        await consumer.write(`${name}/package.json`, JSON.stringify({ type: 'module', scripts, dependencies }));
        await consumer.write(`${name}/tsconfig.json`, await readFile(TSCONFIG, 'utf8'));
        await consumer.write(
          `${name}/prisma/schema.prisma`,
          'generator client {\n  provider = "prisma-client-js"\n  output = "../src/generated"\n}\n',
        );
        await mkdir(join(consumer.root, name, 'src'));
        await symlink(
          join(projectRoot, 'examples/orms/generated/postgres'),
          join(consumer.root, name, 'src/generated'),
        );
        const project = await written(name);
        await project.compile('typescript7');
        await project.script('test');
      },
    );

    it('worker-d1 compiles and passes its test', async () => {
      const project = await written('worker-d1');
      await project.compile();
      await project.script('test');
    });

    it.skipIf(!hasDynamoDB)(`lambda-dynamodb compiles, passes its test and is bundled${needsDynamoDB}`, async () => {
      const server = await startDynamoDB();
      try {
        const credentials = { AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
        const project = await written('lambda-dynamodb', { DYNAMODB_ENDPOINT: server.url, ...credentials });
        await project.compile();
        await project.script('test');
        await project.script('build');
        expect(existsSync(join(project.cwd, 'dist/handler.mjs'))).toBe(true);
      } finally {
        await server.stop();
      }
    });
  },
);

const TSCONFIG = join(projectRoot, 'examples/init/templates/nest-typeorm/tsconfig.json');

/** Programs that npm would find in node_modules/.bin. */
const BINARIES: Record<string, string[]> = {
  next: [process.execPath, join(projectRoot, 'examples/frameworks/node_modules/next/dist/bin/next')],
  tsc: [process.execPath, join(projectRoot, 'node_modules/typescript/bin/tsc')],
  esbuild: [join(projectRoot, 'examples/serverless/node_modules/esbuild/bin/esbuild')],
};
