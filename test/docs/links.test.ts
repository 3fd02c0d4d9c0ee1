import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, inProject, prose, REPOSITORY, readPage, SITE } from './pages.js';

const GENERATED = /^\/reference\/(api\/|cli$)/;

/** Where a link leads to, `undefined` when it leads nowhere. Links of the site begin at its root. */
function target(link: string, from: string): { path: string; anchor: string } | undefined {
  const [path = '', anchor = ''] = link.split('#');
  if (path === '') return { path: from, anchor };
  if (!path.startsWith('/')) {
    const file = posix.join(posix.dirname(from), path);
    return existsSync(inProject(file)) ? { path: file, anchor } : undefined;
  }
  const file = path.endsWith('/') ? `docs${path}index.md` : `docs${path}.md`;
  return existsSync(inProject(file)) ? { path: file, anchor } : undefined;
}

describe.each([...REPOSITORY, ...SITE])('$path', ({ path, text }) => {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)|^ *link: (\S+)$/gm)].map(([, a, b]) => a ?? b ?? '');
  const inside = links.filter((link) => !/^[a-z]+:/.test(link) && !GENERATED.test(link.replace(/#.*/, '')));

  it('has no dead link and no dead anchor', () => {
    const dead = inside.filter((link) => {
      const found = target(link, path);
      if (found === undefined) return true;
      return found.anchor !== '' && !anchors(readPage(found.path).text).has(found.anchor);
    });
    expect(dead).toEqual([]);
  });

  it('includes files that exist', () => {
    const included = [...text.matchAll(/^<<< (\S+?)(?:[{#].*)?$/gm)].map(([, file = '']) => file);
    const missing = included.filter((file) => !existsSync(inProject(posix.join(posix.dirname(path), file))));
    expect(missing).toEqual([]);
  });
});

describe('the site', () => {
  it('has every page in its sidebar, and a title and a description for each', async () => {
    const { sidebar } = await import(inProject('docs/.vitepress/sections.mjs'));
    const listed = new Set<string>(sidebar);
    const missing = SITE.map(({ path }) => path.slice('docs/'.length)).filter((path) => !listed.has(path));
    expect(missing).toEqual(['index.md']);
    const bare = SITE.filter(({ text }) => !/^---\n[\s\S]*?^(title|layout): [\s\S]*?^---$/m.test(text));
    expect(bare.map(({ path }) => path)).toEqual([]);
  });
});

it('README.md leads to the pages by their names, as npm shows no relative links', () => {
  const { text } = readPage('README.md');
  const named = [...text.matchAll(/`(docs\/[\w/-]+\.md)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(inProject(path)))).toEqual([]);
});

it('README.md has at most 200 lines', () => {
  expect(readPage('README.md').text.split('\n').length).toBeLessThanOrEqual(201);
});
