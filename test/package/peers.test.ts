import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Packed, useConsumer } from './consumer.js';

const consumer = useConsumer();

const manifestOf = async ({ packageRoot }: Packed) =>
  JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));

/** Packages that the built files of a tarball and their declarations import, but for those of the page and of templates. */
async function importedBy({ packageRoot, files }: Packed): Promise<string[]> {
  const built = files.filter((path) => /^dist\/(?!cli\/(?:browser|templates)\/).*\.c?[jt]s$/.test(path));
  const texts = await Promise.all(built.map((path) => readFile(join(packageRoot, path), 'utf8')));
  const specifiers = texts.flatMap((text) => ts.preProcessFile(text, true, true).importedFiles);
  const names = specifiers.map(({ fileName }) => /^(?![.#]|node:)(@[^/]+\/)?[^/]+/.exec(fileName)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

describe('event-webhook-receiver', () => {
  it('has an optional peer for each package that its files import, and for no other', async () => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = await manifestOf(consumer);
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    expect(await importedBy(consumer)).toEqual(declared.sort());
    const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }]);
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional));
  });

  it('takes every later version of a peer', async () => {
    const { peerDependencies } = await manifestOf(consumer);
    for (const range of Object.values(peerDependencies)) expect(range).toMatch(/^>=\d+(\.\d+)*$/);
  });
});

describe('event-webhooks', () => {
  it('has no peers, and depends on the packages that its files import', async () => {
    const { dependencies, peerDependencies } = await manifestOf(consumer.devtools);
    expect(peerDependencies).toBeUndefined();
    // A peer of @commander-js/extra-typings.
    expect([...(await importedBy(consumer.devtools)), 'commander'].sort()).toEqual(Object.keys(dependencies).sort());
  });
});
