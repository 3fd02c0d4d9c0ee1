// Where require() takes no ES modules and CommonJS has no import(): Node before 20.19, Jest, Yarn PnP.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useConsumer } from './consumer.js';
import { expectEntries, FILES, fetched, isFetched, needsFetched, node20, OLDER, USED } from './entries.js';

const run = promisify(execFile);
const consumer = useConsumer(async ({ write }) => {
  for (const [path, text] of Object.entries(FILES)) await write(path, text);
});

/** Gives `work` a folder, and the dependencies of an app there: both packages beside older clients, and what to override. */
async function withApp(work: (app: string, dependencies: object, overrides: object) => Promise<void>): Promise<void> {
  const app = await mkdtemp(join(tmpdir(), 'app-'));
  const receiver = `file:${consumer.tarball}`;
  const own = { 'event-webhook-receiver': receiver, 'event-webhooks': `file:${consumer.devtools.tarball}` };
  try {
    await work(app, { ...OLDER, ...own }, { 'event-webhook-receiver': receiver });
  } finally {
    await rm(app, { recursive: true });
  }
}

describe.skipIf(!isFetched)(
  `the oldest and newest Node, Jest, pnpm and Yarn PnP${needsFetched}`,
  { timeout: 300_000 },
  () => {
    it('both run every entry of both packages, in ESM and CommonJS', async () => {
      await expectEntries(consumer.root);
    });

    it('Node 20.0 runs the command', async () => {
      const { stdout } = await run(node20, ['node_modules/.bin/event-webhooks', '--help'], { cwd: consumer.root });
      expect(stdout).toContain('explain');
    });

    it('Jest requires every entry of both packages, and runs what they load late', async () => {
      await run(process.execPath, [fetched('jest/bin/jest.js')], { cwd: consumer.root });
    });

    it(
      'pnpm installs both packages beside older clients and another zod, and every entry is found',
      {
        timeout: 120_000,
      },
      () =>
        withApp(async (app, dependencies, overrides) => {
          const manifest = { private: true, dependencies, pnpm: { overrides } };
          await writeFile(join(app, 'package.json'), JSON.stringify(manifest));
          const install = ['install', '--ignore-scripts', '--store-dir', join(app, '.store')];
          await run(process.execPath, [fetched('pnpm/bin/pnpm.cjs'), ...install], { cwd: app });
          await expectEntries(app);
        }),
    );

    it('Yarn PnP finds every entry of both packages and what they load late, beside older clients', () =>
      withApp(async (app, dependencies, resolutions) => {
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
          (await run(process.execPath, [fetched('yarn/bin/yarn.js'), ...args], { cwd: app, env })).stdout;
        await yarn('install');
        const { required, imported } = JSON.parse(await yarn('node', 'all.mjs'));
        expect(required).toEqual(imported);
        expect(JSON.parse(await yarn('node', 'main.cjs'))).toEqual(USED);
        expect(await yarn('event-webhooks', '--help')).toContain('explain');
      }));
  },
);
