import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer, projectRoot } from './consumer.js';

let consumer: Consumer;
const contents = new Map<string, string>();

beforeAll(async () => {
  consumer = await createConsumer();
  for (const path of consumer.files) contents.set(path, await readFile(join(consumer.packageRoot, path), 'utf8'));
}, 60_000);

afterAll(() => consumer.remove());

/** Files of the tarball in which `pattern` occurs. */
const filesWith = (pattern: RegExp) => [...contents].filter(([, text]) => pattern.test(text)).map(([path]) => path);

test('holds the documents and dist, and nothing else', () => {
  const documents = consumer.files.filter((path) => !path.startsWith('dist/'));
  expect(documents.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'THIRD_PARTY_LICENSES.md',
    'package.json',
  ]);
  const built = consumer.files.filter((path) => path.startsWith('dist/'));
  const page = readdirSync(new URL('../../src/workbench/page', import.meta.url))
    .filter((name) => name !== 'tsconfig.json' && !name.endsWith('.js'))
    .map((name) => `dist/cli/page/${name}`)
    .sort();
  expect(
    built.filter((path) => !/^dist\/((stores|queues|cli|cli\/page)\/)?[\w-]+(\.d)?\.c?[jt]s$/.test(path)).sort(),
  ).toEqual(page);
  expect(built.filter((path) => /(?<!\.d)\.c?ts$/.test(path))).toEqual([]);
});

test('holds every file that package.json points to', () => {
  const manifest = JSON.parse(contents.get('package.json') ?? '');
  const targets: string[] =
    JSON.stringify([manifest.main, manifest.module, manifest.types, manifest.imports, manifest.exports])
      .match(/"\.\/[^"]+\.[cm]?[jt]s"/g)
      ?.map((quoted) => quoted.slice(3, -1)) ?? [];
  expect(targets.length).toBeGreaterThan(20);
  expect(targets.filter((target) => !contents.has(target))).toEqual([]);
});

test('says nothing of the machine that built it', () => {
  const built = [...contents].filter(([path]) => path.startsWith('dist/'));
  for (const directory of [projectRoot, `${homedir()}/`]) {
    expect(
      built.filter(([, text]) => text.includes(directory)).map(([path]) => path),
      directory,
    ).toEqual([]);
  }
  expect(filesWith(/\/(?:home|Users|root|tmp)\/|[A-Z]:\\\\|file:\/\//)).toEqual([]);
  expect(filesWith(/sourceMappingURL/)).toEqual([]);
});

test('names no registry', () => {
  expect(filesWith(/registry\.\w+\.\w|\/\/npm\.|verdaccio|artifactory|:4873/i)).toEqual([]);
});

test('carries the licence of every package that is inlined', () => {
  const licences = contents.get('THIRD_PARTY_LICENSES.md') ?? '';
  const inlined = new Set<string>();
  for (const text of contents.values()) {
    for (const [, name = ''] of text.matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)) inlined.add(name);
  }
  expect([...inlined].sort()).toEqual(['@noble/hashes', 'ky', 'p-map', 'picocolors', 'viem']);
  for (const name of inlined) expect(licences).toContain(`## ${name} `);
  expect(licences).toContain('Permission is hereby granted, free of charge');
});

test('asks for nothing at run time but zod, and runs no script on install', () => {
  const manifest = JSON.parse(contents.get('package.json') ?? '');
  expect(Object.keys(manifest.dependencies)).toEqual(['zod']);
  const onInstall = ['preinstall', 'install', 'postinstall', 'prepare'].filter((script) => script in manifest.scripts);
  expect(onInstall).toEqual([]);
});

test('is locked without the hosts that the packages came from', async () => {
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8'));
  const packages = Object.entries<{ resolved?: string; integrity?: string }>(lock.packages);
  expect(packages.length).toBeGreaterThan(50);
  expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  expect(packages.filter(([path, { integrity }]) => path !== '' && !integrity).map(([path]) => path)).toEqual([]);
  expect(
    (await readdir(projectRoot)).filter((name) => /^(yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/.test(name)),
  ).toEqual([]);
});
