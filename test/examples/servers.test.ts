import { expect, it } from 'vitest';
import { isInstalled } from '../../examples/frameworks/recipes.js';
import { needsDynamoDB } from '../servers/dynamodb.js';
import { needsPostgres } from '../servers/postgres.js';
import { needsRedis } from '../servers/redis.js';
import { describeExamples, describeProject, runExample } from './example.js';

describeExamples([
  ['sqlite', ''],
  ['postgres', needsPostgres],
  ['redis', needsRedis],
  ['bullmq', needsRedis],
  ['pg-boss', needsPostgres],
  ['lambda', needsDynamoDB],
  // A recipe, with the packed library.
  ['koa', isInstalled('koa') ? '' : ' (skipped: the frameworks are not installed)'],
]);

describeProject('serverless', needsDynamoDB, 'compiles with the types of the AWS SDK');

it('examples/run.ts says which examples there are', { timeout: 30_000 }, async () => {
  await expect(runExample('constructor')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/sqlite \| postgres .*hono \| koa/),
  });
});
