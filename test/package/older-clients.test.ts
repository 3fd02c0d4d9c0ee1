import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { useConsumer } from './consumer.js';
import { expectEntries, isFetched, OLDER } from './entries.js';

const run = promisify(execFile);
let apps: string;
const consumer = useConsumer(async () => {
  apps = await mkdtemp(join(tmpdir(), 'apps-'));
});
afterAll(() => rm(apps, { recursive: true }));

/** Has npm install both tarballs beside what an app has; gives its folder. Rejects if the versions do not fit together. */
async function install(dependencies: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const app = await mkdtemp(join(apps, 'app-'));
  await writeFile(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const tarballs = [consumer.tarball, consumer.devtools.tarball];
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, ...args, ...tarballs], { cwd: app });
  return app;
}

const EXPRESS = `
import express from 'express';
import { expressHandler } from 'event-webhook-receiver/express';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';

const secret = 'whsec-older';
let handled = 0;
const app = express().post('/webhooks', expressHandler({ secret, onEvent: () => void handled++ }));
const server = app.listen(0, '127.0.0.1', async () => {
  const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], { secret });
  const url = 'http://127.0.0.1:' + server.address().port + '/webhooks';
  const { status } = await fetch(url, { method: 'POST', headers, body });
  console.log(JSON.stringify({ status, handled }));
  server.close();
});
`;

const FASTIFY = `
import Fastify from 'fastify';
import { fastifyPlugin } from 'event-webhook-receiver/fastify';

const app = Fastify();
app.register(fastifyPlugin({ secret: 'whsec-older', onEvent() {} }), { prefix: '/webhooks' });
await app.ready().catch((error) => console.log(error.code, error.message));
`;

it.concurrent('handles a delivery, and loads every entry, in an app with older majors where npm installs both packages', {
  timeout: 300_000,
}, async () => {
  const app = await install(OLDER);
  await writeFile(join(app, 'app.js'), EXPRESS);
  const { stdout } = await run(process.execPath, ['app.js'], { cwd: app });
  expect(JSON.parse(stdout)).toEqual({ status: 200, handled: 1 });
  await writeFile(join(app, 'fastify.js'), FASTIFY);
  const { stdout: refusal } = await run(process.execPath, ['fastify.js'], { cwd: app });
  expect(refusal).toMatch(/^ERR_WEBHOOK_CONFIG fastifyPlugin takes Fastify 5 or later, got 4\./);
  if (isFetched) await expectEntries(app);
});

it.concurrent.each([
  { bullmq: '5', fastify: '3', pg: '7', knex: '0.95', kysely: '0.20', mysql2: '2', sequelize: '5', postgres: '3.0' },
  { '@opentelemetry/api': '0.20', abitype: '0.8', 'better-sqlite3': '8', fastify: '2', viem: '1' },
  { '@prisma/client': '4', 'drizzle-orm': '0.28', typeorm: '0.2', '@libsql/client': '0.3', '@upstash/redis': '1.20' },
])('is installed by npm beside %o', { timeout: 120_000 }, async (dependencies) => {
  await install(dependencies, '--package-lock-only');
});

it.concurrent('brings no package that needs a newer Node than 20.0', { timeout: 120_000 }, async () => {
  const app = await install({}, '--package-lock-only');
  const { packages } = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
  const needs = Object.entries<{ engines?: { node?: string } }>(packages).map(
    ([path, { engines }]) => [path, engines?.node ?? '>=0'] as const,
  );
  expect(needs.length).toBeGreaterThan(10);
  const isNewer = (range: string) =>
    range.split('||').every((each) => {
      const [major = 0, ...rest] = each.match(/\d+/g)?.map(Number) ?? [];
      return major > 20 || (major === 20 && rest.some((part) => part > 0));
    });
  expect(needs.filter(([, range]) => isNewer(range))).toEqual([]);
});
