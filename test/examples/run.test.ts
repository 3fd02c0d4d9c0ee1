import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';
import { hasDynamoDB, needsDynamoDB } from '../servers/dynamodb.js';
import { hasPostgres, needsPostgres } from '../servers/postgres.js';
import { hasRedis, needsRedis } from '../servers/redis.js';
import { hasOrms, needsOrms } from '../stores/sql/orms/installed.js';

const examples = [
  { name: 'sqlite', has: true, needs: '' },
  { name: 'postgres', has: hasPostgres, needs: needsPostgres },
  { name: 'redis', has: hasRedis, needs: needsRedis },
  { name: 'bullmq', has: hasRedis, needs: needsRedis },
  { name: 'pg-boss', has: hasPostgres, needs: needsPostgres },
  ...['prisma', 'drizzle', 'kysely', 'knex', 'typeorm', 'sequelize'].map((name) => ({
    name,
    has: hasPostgres && hasOrms,
    needs: needsPostgres || needsOrms,
  })),
  { name: 'lambda', has: hasDynamoDB, needs: needsDynamoDB },
];

for (const { name, has, needs } of examples) {
  describe.skipIf(!has)(`examples/${name}${needs}`, () => {
    it('has every event take effect once, over repeats and killed processes', { timeout: 120_000 }, async () => {
      const { DATABASE_URL, REDIS_URL, ...env } = process.env;
      const args = ['--import', 'tsx', 'examples/run.ts', name];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
      });
      expect(stdout).toContain('Every event took effect exactly once.');
    });
  });
}

const projects = [
  { name: 'orms', has: hasOrms, needs: needsOrms, title: "gives a handler the ORM's own type of transaction" },
  { name: 'serverless', has: hasDynamoDB, needs: needsDynamoDB, title: 'compiles with the types of the AWS SDK' },
];

for (const { name, has, needs, title } of projects) {
  describe.skipIf(!has)(`examples/${name}${needs}`, () => {
    it(title, { timeout: 120_000 }, async () => {
      const [tsc, project] = ['node_modules/typescript/bin/tsc', `examples/${name}`].map((path) =>
        fileURLToPath(new URL(`../../${path}`, import.meta.url)),
      );
      const args = [tsc ?? '', '--pretty', 'false', '-p', project ?? ''];
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error);
      expect(stdout).toBe('');
    });
  });
}

const hasKoa = isInstalled('koa');

describe.skipIf(!hasKoa)(`a recipe of examples/frameworks${hasKoa ? '' : ' (skipped: they are not installed)'}`, () => {
  it('takes what is genuine once and refuses the rest, with the packed library', { timeout: 60_000 }, async () => {
    const { DATABASE_URL, REDIS_URL, ...env } = process.env;
    const args = ['--import', 'tsx', 'examples/run.ts', 'koa'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' },
    });
    expect(stdout).toContain('a forged one: 403');
    expect(stdout).toContain('Every event took effect exactly once.');
  });
});

describe('examples/run.ts', () => {
  it('says which examples there are', { timeout: 30_000 }, async () => {
    const args = ['--import', 'tsx', 'examples/run.ts', 'constructor'];
    const env = { ...process.env, TSX_TSCONFIG_PATH: 'examples/tsconfig.json' };
    const run = promisify(execFile)(process.execPath, args, { env });
    await expect(run).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/sqlite \| postgres .*hono \| koa/),
    });
  });
});
