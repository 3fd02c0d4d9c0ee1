// Where require() takes no ES modules and CommonJS has no import(): Node before 20.19, Jest, Yarn PnP.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf, PACKAGES } from '../../scripts/exports.mjs';
import { type Consumer, createConsumer } from './consumer.js';

const run = promisify(execFile);
const installed = (path: string) => fileURLToPath(new URL(`./node_modules/${path}`, import.meta.url));
const node20 = installed('node20/bin/node');
const isInstalled = existsSync(node20);
const needs = isInstalled ? '' : ' (skipped: not installed; npm run test:tier package fetches them)';

const specifiers = Object.values(PACKAGES).flatMap((url) => entriesOf(url).map(({ specifier }) => specifier));
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
const USED = ['ERR_WEBHOOK_API_UNREACHABLE', 'secret-whitespace-lost', 'secret-whitespace-lost'];

const FILES = {
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

let consumer: Consumer;

beforeAll(async () => {
  consumer = await createConsumer();
  for (const [path, text] of Object.entries(FILES)) await consumer.write(path, text);
}, 60_000);

afterAll(() => consumer.remove());

describe.skipIf(!isInstalled)(`the oldest Node, Jest and Yarn PnP${needs}`, { timeout: 300_000 }, () => {
  const inNode20 = async (...args: string[]) => (await run(node20, args, { cwd: consumer.root })).stdout;

  it('Node 20.0 imports and requires every entry of both packages, with the same names', async () => {
    const { required, imported } = JSON.parse(await inNode20('all.mjs'));
    expect(required).toHaveLength(specifiers.length);
    expect(required).toEqual(imported);
  });

  it('Node 20.0 runs the command, and what CommonJS loads late', async () => {
    expect(await inNode20('node_modules/.bin/event-webhooks', '--help')).toContain('explain');
    expect(JSON.parse(await inNode20('main.cjs'))).toEqual(USED);
  });

  it('Jest requires every entry of both packages, and runs what they load late', async () => {
    await run(process.execPath, [installed('jest/bin/jest.js')], { cwd: consumer.root });
  });

  it('pnpm installs both packages beside another zod, and every entry is found', { timeout: 120_000 }, async () => {
    const app = await mkdtemp(join(tmpdir(), 'pnpm-'));
    try {
      const receiver = `file:${consumer.tarball}`;
      const dependencies = {
        '@opentelemetry/api': '1.9.1',
        'event-webhook-receiver': receiver,
        'event-webhooks': `file:${consumer.devtools.tarball}`,
        zod: '3',
      };
      const overrides = { 'event-webhook-receiver': receiver };
      await writeFile(join(app, 'package.json'), JSON.stringify({ private: true, dependencies, pnpm: { overrides } }));
      for (const [path, text] of Object.entries(FILES)) await writeFile(join(app, path), text);
      const install = ['install', '--ignore-scripts', '--store-dir', join(app, '.store')];
      await run(process.execPath, [installed('pnpm/bin/pnpm.cjs'), ...install], { cwd: app });
      const node = async (path: string) => JSON.parse((await run(process.execPath, [path], { cwd: app })).stdout);
      const { required, imported } = await node('all.mjs');
      expect(required).toEqual(imported);
      expect(await node('main.cjs')).toEqual(USED);
    } finally {
      await rm(app, { recursive: true });
    }
  });

  it('Yarn PnP finds every entry of both packages and what they load late', async () => {
    const app = await mkdtemp(join(tmpdir(), 'pnp-'));
    try {
      const { tarball, devtools } = consumer;
      const receiver = `file:${tarball}`;
      const dependencies = {
        '@opentelemetry/api': '1.9.1',
        'event-webhook-receiver': receiver,
        'event-webhooks': `file:${devtools.tarball}`,
      };
      const resolutions = { 'event-webhook-receiver': receiver };
      await writeFile(join(app, 'package.json'), JSON.stringify({ private: true, dependencies, resolutions }));
      await writeFile(join(app, 'yarn.lock'), '');
      for (const [path, text] of Object.entries(FILES)) await writeFile(join(app, path), text);
      const registry = (await run('npm', ['config', 'get', 'registry'], { cwd: app })).stdout.trim();
      const env = {
        ...process.env,
        YARN_NODE_LINKER: 'pnp',
        YARN_NPM_REGISTRY_SERVER: registry,
        YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname,
        YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
        YARN_ENABLE_TELEMETRY: 'false',
      };
      const yarn = async (...args: string[]) =>
        (await run(process.execPath, [installed('yarn/bin/yarn.js'), ...args], { cwd: app, env })).stdout;
      await yarn('install');
      const { required, imported } = JSON.parse(await yarn('node', 'all.mjs'));
      expect(required).toEqual(imported);
      expect(JSON.parse(await yarn('node', 'main.cjs'))).toEqual(USED);
      expect(await yarn('event-webhooks', '--help')).toContain('explain');
    } finally {
      await rm(app, { recursive: true });
    }
  });
});
