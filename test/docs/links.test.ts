import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stalePages } from '../../scripts/include-programs.mjs';
import { anchors, inProject, prose, REPOSITORY, readPage, SITE } from './pages.js';

/** Made when the site is built, which test/docs/site.test.ts checks. */
const GENERATED = /^docs\/reference\/(api\/|cli\.md$)/;

/**
 * Where a link leads to. Links are relative, to work on the site, in the repository and in the package; only the metadata of
 * the start page has those of the site.
 */
function target(link: string, from: string): { path: string; anchor: string } {
  const [path = '', anchor = ''] = link.split('#');
  if (path === '') return { path: from, anchor };
  if (!path.startsWith('/')) return { path: posix.join(posix.dirname(from), path), anchor };
  return { path: path.endsWith('/') ? `docs${path}index.md` : `docs${path}.md`, anchor };
}

describe.each([...REPOSITORY, ...SITE])('$path', ({ path, text }) => {
  const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)|^ *link: (\S+)$/gm)].map(([, a, b]) => a ?? b ?? '');
  const inside = links.filter((link) => !/^[a-z]+:/.test(link) && !GENERATED.test(target(link, path).path));

  it('has no dead link and no dead anchor', () => {
    const dead = inside.filter((link) => {
      const found = target(link, path);
      if (!existsSync(inProject(found.path))) return true;
      return found.anchor !== '' && !anchors(readPage(found.path).text).has(found.anchor);
    });
    expect(dead).toEqual([]);
  });

  it('has links that work outside of the site too', () => {
    const text = links.filter((link) => link.startsWith('/'));
    expect(path === 'docs/index.md' ? [] : text).toEqual([]);
  });
});

it('shows programs as they are in examples/: npm run generate writes them', () => {
  expect(stalePages().map(({ url }) => url.pathname)).toEqual([]);
});

it('the site has every page in its sidebar, and a title and a description for each', async () => {
  const { sidebar } = await import(inProject('docs/.vitepress/sections.mjs'));
  const listed = new Set<string>(sidebar);
  const missing = SITE.map(({ path }) => path.slice('docs/'.length)).filter((path) => !listed.has(path));
  expect(missing).toEqual(['index.md']);
  const bare = SITE.filter(({ text }) => !/^---\n[\s\S]*?^title: [\s\S]*?^---$/m.test(text));
  expect(bare.map(({ path }) => path)).toEqual([]);
});

it('README.md leads to the pages by their names, as npm shows no relative links', () => {
  const { text } = readPage('README.md');
  const named = [...text.matchAll(/`(docs\/[\w/-]+\.md)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(inProject(path)))).toEqual([]);
});

it('is cited by messages only where a page, and its section, exist', () => {
  const cited = ['src', 'devtools/src'].flatMap((folder) =>
    readdirSync(inProject(folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => [
        ...readFileSync(inProject(`${folder}/${path}`), 'utf8').matchAll(/\b(docs\/[\w/-]+\.md)(?:#([a-z][\w-]*\w))?/g),
      ]),
  );
  expect(cited.length).toBeGreaterThan(5);
  const dead = cited.filter(
    ([, path = '', anchor]) =>
      !existsSync(inProject(path)) || (anchor !== undefined && !anchors(readPage(path).text).has(anchor)),
  );
  expect(dead.map(([text]) => text)).toEqual([]);
});

it('names tests that exist', () => {
  const named = [...readPage('docs/security/index.md').text.matchAll(/`(test\/[\w/.-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(inProject(path)))).toEqual([]);
});

it('README.md has at most 200 lines', () => {
  expect(readPage('README.md').text.split('\n').length).toBeLessThanOrEqual(201);
});
