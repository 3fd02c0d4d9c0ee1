import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { entriesOf, PACKAGES } from '../../scripts/exports.mjs';

const run = promisify(execFile);

/** A program that the tier `package` fetches. */
export const fetched = (path: string) => fileURLToPath(new URL(`./node_modules/${path}`, import.meta.url));
/** The oldest Node of `engines`, and the newest that is tested. */
const [oldest, newest] = [fetched('node20/bin/node'), fetched('node24/bin/node')];
export const node20 = oldest;
export const isFetched = existsSync(newest);
export const needsFetched = isFetched ? '' : ' (skipped: not installed; npm run test:tier package fetches them)';

/** What apps have beside both packages: an older major of each client. Later versions of bullmq 5 exclude redis 4. */
export const OLDER = {
  '@opentelemetry/api': '1.3',
  bullmq: '5.1',
  express: '4.17',
  fastify: '4',
  ioredis: '4',
  'pg-boss': '11',
  redis: '4',
  zod: '3',
};

export const specifiers = Object.values(PACKAGES).flatMap((url) => entriesOf(url).map(({ specifier }) => specifier));
const names = 'loaded.map((each) => Object.keys(each).sort().join())';

const REQUIRE_ALL = `
const loaded = [${specifiers.map((specifier) => `require('${specifier}')`)}];
exports.names = ${names};`;

const IMPORT_ALL = `
import { createRequire } from 'node:module';
${specifiers.map((specifier, at) => `import * as entry${at} from '${specifier}';`).join('\n')}
const { names } = createRequire(import.meta.url)('./all.cjs');
const loaded = [${specifiers.map((_, at) => `entry${at}`)}];
console.log(JSON.stringify({ required: names, imported: ${names} }));`;

/** Uses what is loaded late: an HTTP client, SQLite, the process that explains a refusal. */
const USE = `
const { createWebhookClient } = require('event-webhook-receiver/client');
const { fetchHandler } = require('event-webhook-receiver/fetch');
const { signDelivery } = require('event-webhook-receiver/verify');
const { explainFailure, explainRefusals } = require('event-webhooks/explain');
const { createLocalService } = require('event-webhooks/local');

exports.use = async () => {
  const secret = 'whsec-late';
  const client = createWebhookClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'key', retries: 0 });
  const { code } = await client.count().catch((error) => error);

  await createLocalService({ file: 'service.db' }).then((service) => service.close());

  const { rawBody, headers, ...signed } = signDelivery('[]', { secret: secret + '\\n' });
  const [{ cause }] = explainFailure({ rawBody, ...signed, secret });
  const refused = await new Promise((resolve) => {
    const logger = { warn: ({ findings }) => resolve(findings[0].cause) };
    const POST = fetchHandler({ secret, onEvent() {}, onError: explainRefusals({ secret, logger }) });
    POST(new Request('http://127.0.0.1/', { method: 'POST', headers, body: rawBody }));
  });
  return [code, cause, refused];
};`;
export const USED = ['ERR_WEBHOOK_API_UNREACHABLE', 'secret-whitespace-lost', 'secret-whitespace-lost'];

/** Programs that load every entry, and use what is loaded late. */
export const FILES = {
  'all.cjs': REQUIRE_ALL,
  'all.mjs': IMPORT_ALL,
  'use.cjs': USE,
  // An explanation keeps no process from ending.
  'main.cjs': `
    const timer = setTimeout(() => {}, 60_000);
    require('./use.cjs').use().then((used) => console.log(JSON.stringify(used))).finally(() => clearTimeout(timer));`,
  'jest.config.json': JSON.stringify({ testMatch: ['**/jest.cjs'], transform: {}, testEnvironment: 'node' }),
  'jest.cjs': `
    test('loads', () => expect(require('./all.cjs').names).toHaveLength(${specifiers.length}));
    test('uses', async () => expect(await require('./use.cjs').use()).toEqual(${JSON.stringify(USED)}), 60_000);`,
};

/** Expects an app to import and require every entry, with the same names, in the oldest and in the newest Node. */
export async function expectEntries(app: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(app, path), text);
  for (const node of [oldest, newest]) {
    const inNode = async (path: string) => JSON.parse((await run(node, [path], { cwd: app })).stdout);
    const { required, imported } = await inNode('all.mjs');
    expect(required).toHaveLength(specifiers.length);
    expect(required).toEqual(imported);
    expect(await inNode('main.cjs')).toEqual(USED);
  }
}
