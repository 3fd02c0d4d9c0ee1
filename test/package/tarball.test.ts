import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Packed, projectRoot, useConsumer } from './consumer.js';

const consumer = useConsumer();

async function contentsOf({ files, packageRoot }: Packed): Promise<Map<string, string>> {
  const read = async (path: string) => [path, await readFile(join(packageRoot, path), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

/** Packages of which a built file contains code, as esbuild names them. */
function inlinedIn(contents: Map<string, string>): string[] {
  const found = [...contents.values()].flatMap((text) => [
    ...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm),
  ]);
  return [...new Set(found.map(([, name = '']) => name))].sort();
}

describe.each([
  ['event-webhook-receiver', () => consumer],
  ['event-webhooks', () => consumer.devtools],
] as const)('the tarball of %s', (_, packed) => {
  let contents: Map<string, string>;
  let manifest: Record<string, object>;

  beforeAll(async () => {
    contents = await contentsOf(packed());
    manifest = JSON.parse(contents.get('package.json') ?? '');
  });

  const filesWith = (pattern: RegExp) => [...contents].filter(([, text]) => pattern.test(text)).map(([path]) => path);

  it('contains documents and built files, and no TypeScript source but that of templates', () => {
    const others = [...contents.keys()].filter((path) => !path.startsWith('dist/'));
    expect(others.filter((path) => !/^(LICENSE|package\.json|[A-Z_]+\.md|docs\/[\w/-]+\.md)$/.test(path))).toEqual([]);
    expect(others).toEqual(expect.arrayContaining(['LICENSE', 'package.json']));
    expect([...contents.keys()].filter((path) => /^(?!dist\/cli\/templates\/).*(?<!\.d)\.c?ts$/.test(path))).toEqual(
      [],
    );
  });

  it('contains every file that package.json points to', () => {
    const { main, module, types, bin, imports, exports } = manifest;
    const targets =
      JSON.stringify([main, module, types, bin, imports, exports]).match(/(?<=")(\.\/)?dist\/[^"]+/g) ?? [];
    expect(targets).not.toEqual([]);
    expect(targets.map((path) => path.replace('./', '')).filter((path) => !contents.has(path))).toEqual([]);
  });

  it('runs no script on install', () => {
    const { scripts = {} } = manifest;
    expect(['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts)).toEqual([]);
  });

  it('does not name the machine that built it, or a registry', () => {
    for (const directory of [projectRoot, `${homedir()}/`]) {
      const built = [...contents].filter(([path]) => path.startsWith('dist/'));
      expect(built.filter(([, text]) => text.includes(directory)).map(([path]) => path)).toEqual([]);
    }
    expect(filesWith(/sourceMappingURL/)).toEqual([]);
    expect(filesWith(/registry\.\w+\.\w|\/\/npm\.|verdaccio|artifactory|:4873/i)).toEqual([]);
  });
});

it.each([
  ['event-webhook-receiver', () => consumer, ['@noble/hashes', 'ky']],
  ['event-webhooks', () => consumer.devtools, ['@noble/hashes']],
] as const)('%s includes the licence of every package that it inlines', async (_, packed, names) => {
  const contents = await contentsOf(packed());
  const licences = contents.get('THIRD_PARTY_LICENSES.md') ?? '';
  expect(inlinedIn(contents)).toEqual(names);
  for (const name of names) expect(licences).toContain(`## ${name} `);
});

it('event-webhook-receiver depends on nothing but zod', async () => {
  const { dependencies } = JSON.parse(await readFile(join(consumer.packageRoot, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(['zod']);
});

describe('event-webhooks', () => {
  it('runs by its name where both packages are installed', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'event-webhooks', '--help'], {
      cwd: consumer.root,
    });
    for (const command of ['listen', 'send', 'explain', 'emulate']) expect(stdout).toContain(command);
  });
});

it('package-lock.json names no host that a package came from', async () => {
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8'));
  const packages = Object.entries<{ resolved?: string; integrity?: string; link?: true }>(lock.packages);
  const fetched = packages.filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
  expect(fetched.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
