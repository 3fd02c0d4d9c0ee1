import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

export interface Page {
  /** From the project's root: `docs/hosts/express.md`. */
  readonly path: string;
  readonly text: string;
}

export const readPage = (path: string): Page => ({ path, text: readFileSync(new URL(path, root), 'utf8') });

/** The pages of the site that are written by hand. Generated ones are not in the repository. */
export const SITE: readonly Page[] = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter(
    (path) => path.endsWith('.md') && !/(^|\/)(node_modules|\.vitepress)\/|^reference\/(api\/|cli\.md)/.test(path),
  )
  .filter((path) => path !== 'SKILL.md')
  .sort()
  .map((path) => readPage(`docs/${path}`));

/** What people read in the repository and on npm. */
export const REPOSITORY: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'devtools/README.md',
  'docs/SKILL.md',
].map(readPage);

export interface Fence {
  readonly page: string;
  /** The rest of the line after the language. */
  readonly info: string;
  readonly text: string;
}

/** The fenced blocks of a language. */
export const fences = (pages: readonly Page[], language: string): Fence[] =>
  pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^```(\w*)(.*)\n([\s\S]*?)^```$/gm)]
      .filter(([, found]) => found === language)
      .map(([, , info = '', block = '']) => ({ page: path, info: info.trim(), text: block })),
  );

/** A page without its fenced blocks and its inline code. */
export const prose = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');

/** The anchors of a page: those of its headings, as GitHub and the site make them. */
export function anchors(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ''] of text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
    const anchor = plain
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let unique = anchor;
    for (let count = 1; found.has(unique); count++) unique = `${anchor}-${count}`;
    found.add(unique);
  }
  return found;
}

export const inProject = (path: string) => fileURLToPath(new URL(path, root));
