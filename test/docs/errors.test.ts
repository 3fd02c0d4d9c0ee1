import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inProject, readPage } from './pages.js';

const CODE = /ERR_WEBHOOK_[A-Z_]*[A-Z]/g;

function codesIn(directory: string): string[] {
  return readdirSync(inProject(directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => readFileSync(inProject(`${directory}/${path}`), 'utf8').match(CODE) ?? []);
}

const { text } = readPage('docs/errors.md');
const sections = new Map(
  text.split(/^## /m).flatMap((section) => {
    const [heading = '', ...rest] = section.split('\n');
    return /^ERR_WEBHOOK_[A-Z_]+$/.test(heading) ? [[heading, rest.join('\n')] as const] : [];
  }),
);

it('describes every error code, and no other', () => {
  const codes = new Set([...codesIn('src'), ...codesIn('devtools/src')]);
  expect([...sections.keys()].sort()).toEqual([...codes].sort());
});

it('lists every error code at its start', () => {
  const listed = [...text.matchAll(/\]\(#(err_webhook_\w+)\) ?[·|]/g)].map(([, anchor = '']) => anchor.toUpperCase());
  expect(listed.sort()).toEqual([...sections.keys()].sort());
});

it.each([...sections])('says of %s what to do', (_, section) => {
  expect(section).toMatch(/\bfix\b/i);
  expect(section.trim().length).toBeGreaterThan(150);
});
