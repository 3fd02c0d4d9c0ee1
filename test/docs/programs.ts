import { basename } from 'node:path';
import { needsPostgres } from '../servers/postgres.js';
import { needsRedis } from '../servers/redis.js';
import { fences, readPage, SITE } from './pages.js';

/**
 * A program of the documentation, which begins with a comment that names its file. One that exports a POST or a handler is
 * called; one that listens takes its port from PORT; one whose name ends with `-worker` handles what the `-receiver` of
 * its page has taken; any other ends.
 */
export interface Program {
  readonly page: string;
  readonly name: string;
  /** Where the consumer keeps it. */
  readonly path: string;
  readonly text: string;
  readonly kind: 'handler' | 'server' | 'worker' | 'program';
  /** Why it cannot be run here; empty when it can. */
  readonly skip: string;
}

const pages = [readPage('README.md'), ...SITE];
const found = [...fences(pages, 'ts'), ...fences(pages, 'js')].map(({ page, text }, index): Program => {
  const [, name] = /^\/\/ ([\w/.-]+\.[cm]?[jt]s)\n/.exec(text) ?? [];
  if (name === undefined) throw new Error(`A block of ${page} does not begin with "// <file name>":\n${text}`);
  // A program with a local service sends to itself, and ends.
  const listens = /\.listen\(|\bserve\(/.test(text) && !text.includes('createLocalService');
  const worker = basename(name).endsWith('-worker.ts');
  const exported = /^export const (POST|handler) = /m.test(text);
  const kind = exported ? 'handler' : listens ? 'server' : worker ? 'worker' : 'program';
  const postgres = text.includes('DATABASE_URL') ? needsPostgres : '';
  const skip = /REDIS_(REST_)?URL/.test(text) ? needsRedis : postgres;
  return { page, name, path: `programs/${index}/${name}`, text, kind, skip };
});

/** Each text once: README.md may show what a page explains. */
export const programs: readonly Program[] = found.filter(
  ({ text }, index) => found.findIndex((each) => each.text === text) === index,
);
