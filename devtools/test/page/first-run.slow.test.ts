import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readFirstRun } from '../../src/page/first-run.js';
import { nodeSnippet, snippets } from '../../src/page/snippets.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

describe('the first receiver of a project', () => {
  async function firstRun(manifest?: unknown, secretFile?: string) {
    const directory = await mkdtemp(join(tmpdir(), 'first-run-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    if (manifest !== undefined) await writeFile(join(directory, 'package.json'), text);
    return readFirstRun({ directory, secretFile });
  }

  it('is of the framework in package.json, the outer one first', async () => {
    const names = async (...dependencies: string[]) =>
      (await firstRun({ devDependencies: Object.fromEntries(dependencies.map((name) => [name, '1'])) })).framework;
    for (const [name, { framework }] of Object.entries(snippets)) expect(await names(name)).toBe(framework);
    expect(await names('express', '@nestjs/core')).toBe('NestJS');
    expect(await names('hono', 'next')).toBe('Next.js');
    expect(await names('hono', 'express')).toBe('Hono');
  });

  it.each([
    ['no package.json', undefined],
    ['one that is not JSON', '{'],
    ['one that is not an object', '[]'],
    ['one of another shape', { dependencies: 'express', devDependencies: [], scripts: null }],
    ['one without a framework', { dependencies: { constructor: '1' } }],
    ['one of 2 MB', { dependencies: { express: '5' }, padding: 'x'.repeat(2_000_000) }],
  ])('is plain Node with %s', async (_title, manifest) => {
    expect(await firstRun(manifest)).toMatchObject({
      framework: 'Node.js',
      file: 'webhooks.mjs',
      install: 'npm install event-webhook-receiver',
      url: 'http://127.0.0.1:3000/webhooks',
    });
  });

  it.each([
    ['a device without an end', (path: string) => symlink('/dev/zero', path)],
    ['a FIFO', (path: string) => run('mkfifo', [path])],
    ['a folder', (path: string) => mkdir(path)],
    ['a link to itself', (path: string) => symlink(path, path)],
  ])('is plain Node where package.json is %s', async (_title, create) => {
    const directory = await mkdtemp(join(tmpdir(), 'first-run-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await create(join(directory, 'package.json'));
    expect(await readFirstRun({ directory })).toMatchObject({ framework: 'Node.js' });
  });

  it('installs what is missing', async () => {
    const dependencies = { hono: '4', '@hono/node-server': '2' };
    expect((await firstRun({ dependencies: { hono: '4' } })).install).toBe(
      'npm install event-webhook-receiver @hono/node-server',
    );
    expect((await firstRun({ dependencies: { ...dependencies, 'event-webhook-receiver': '0' } })).install).toBe(
      undefined,
    );
  });

  it('starts with the secret of a file, or asks for it, and never names it', async () => {
    const express = { dependencies: { express: '5' } };
    const next = { dependencies: { next: '16' } };
    const command = async (...args: Parameters<typeof firstRun>) => (await firstRun(...args)).secretCommand;
    expect(await command(express, 'webhook-secret.txt')).toBe(
      'WEBHOOK_SECRET=$(cat webhook-secret.txt) node webhooks.mjs',
    );
    expect(await command(next, "my shop's.txt")).toBe("WEBHOOK_SECRET=$(cat 'my shop'\\''s.txt') npm start");
    expect(await command({ ...next, scripts: { dev: 'next dev' } }, 's.txt')).toBe(
      'WEBHOOK_SECRET=$(cat s.txt) npm run dev',
    );
    expect(await command(express)).toBe('read -rs WEBHOOK_SECRET && WEBHOOK_SECRET=$WEBHOOK_SECRET node webhooks.mjs');
    expect([(await firstRun(express)).asks, (await firstRun(express, 's.txt')).asks]).toEqual([true, false]);
    expect(await command(express, '-')).toBe(await command(express));
    expect(await command({ devDependencies: { wrangler: '4' } }, 's.txt')).toBe(
      'echo "WEBHOOK_SECRET=$(cat s.txt)" > .dev.vars && npx wrangler dev',
    );
    expect(await command({ devDependencies: { wrangler: '4' } })).toBe(
      'read -rs WEBHOOK_SECRET && echo "WEBHOOK_SECRET=$WEBHOOK_SECRET" > .dev.vars && npx wrangler dev',
    );
  });
});

describe('the snippets of a first receiver', () => {
  const { express, fastify, hono } = snippets;
  const programs = Object.entries({ express, fastify, hono, node: nodeSnippet }).map(
    ([name, snippet]) => [name, snippet?.code ?? ''] as const,
  );
  // Within the repository, whose packages they import.
  const directory = join(root, 'devtools/test/.first-run');
  beforeAll(async () => {
    await mkdir(directory, { recursive: true });
    for (const [name, code] of programs) await writeFile(join(directory, `${name}.mjs`), code);
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('type-check', async () => {
    const tsconfig = {
      extends: '../../../tsconfig.json',
      compilerOptions: { checkJs: true, allowJs: true },
      include: ['*.mjs'],
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(tsconfig));
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', directory]);
    expect(stdout).toBe('');
  }, 60_000);

  it.each(programs)('%s takes a genuine delivery and refuses a forged one', async (name) => {
    const child = start(join(directory, `${name}.mjs`));
    onTestFinished(() => void child.kill());
    const [port] = await once(child, 'message');
    const { rawBody: body, headers } = createTestDelivery([sampleEventEmitted()], { secret: 'whsec-first' });
    const post = async (sent: string) =>
      (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: sent, headers })).status;
    expect([await post(body), await post(`${body} `)]).toEqual([200, 403]);
  });

  function start(file: string): ChildProcess {
    return fork(file, {
      execArgv: ['--require', join(root, 'test/package/fixtures/tell-port.cjs')],
      env: { ...process.env, PORT: '0', WEBHOOK_SECRET: 'whsec-first' },
      stdio: 'ignore',
    });
  }
});
