import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inProject, readPage } from './pages.js';

/** Where the tests get other packages from. */
const FOLDERS = ['.', 'test/peers', 'examples/orms', 'examples/serverless', 'examples/frameworks'];

/** The versions of each package, `npm:` aliases too. */
const pinned = new Map<string, Set<string>>();
for (const folder of FOLDERS) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(inProject(`${folder}/package.json`), 'utf8'));
  for (const [alias, pin] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
    const [, name = alias, version = pin] = /^npm:(.+)@(.+)$/.exec(pin) ?? [];
    pinned.set(name, (pinned.get(name) ?? new Set()).add(version));
  }
}

const versionsOf = (name: string) =>
  [...(pinned.get(name) ?? [])].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join(', ');

const { text } = readPage('docs/reference/imports.md');
const [, section = ''] = text.split('\n## Tested versions\n');
const rows = [...section.matchAll(/^\| `([^`]+)` \| .+ \| (.+) \|$/gm)].map(([, name = '', versions]) => ({
  name,
  versions,
}));

it.each(rows)('docs/reference/imports.md names the tested versions of $name', ({ name, versions }) => {
  expect(versions).toBe(versionsOf(name));
});

it('docs/reference/imports.md names every client that test/peers pins and every optional peer', () => {
  const { dependencies } = JSON.parse(readFileSync(inProject('test/peers/package.json'), 'utf8'));
  const { peerDependencies } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
});

describe('the table of quick starts in docs/reference/imports.md', () => {
  const [, after = ''] = text.split('\n### The quick start of each client\n');
  const table = [...(after.split('\n### ')[0] ?? '').matchAll(/^\| (.+?) \| `(.+)` (\S+) \| `/gm)];

  it('has every client whose quick start is tested', () => {
    const tests = readFileSync(inProject('examples/orms/testing/quick-starts.ts'), 'utf8');
    const clients = [...tests.matchAll(/^ {2}(?:async )?'(.+) (?:over|in) /gm)].map(([, client]) => client);
    expect(table.map(([, client]) => client)).toEqual(clients);
  });

  it('names the versions with which they are tested', () => {
    const { dependencies } = JSON.parse(readFileSync(inProject('examples/orms/package.json'), 'utf8'));
    for (const [, , name = '', version] of table) expect([name, version]).toEqual([name, dependencies[name]]);
  });
});
