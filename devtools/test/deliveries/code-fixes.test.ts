import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeFixes } from '../../src/deliveries/code-fixes.js';

const src = new URL('../../../src/', import.meta.url);
const sources = readdirSync(src, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, src), 'utf8'));

describe('codeFixes', () => {
  it('has a fix for every code of the receiver and its subpaths', () => {
    const codes = sources.flatMap((text) => text.match(/'ERR_WEBHOOK_[A-Z_]*[A-Z]'|\bERR_WEBHOOK_[A-Z_]*[A-Z](?=:)/g));
    const names = new Set(codes.flatMap((code) => code?.replaceAll("'", '') ?? []));
    expect(names.size).toBeGreaterThan(25);
    expect(Object.keys(codeFixes).sort()).toEqual([...names].sort());
  });

  it('says in each what to do, in a line', () => {
    for (const fix of Object.values(codeFixes)) expect(fix).toMatch(/^[A-Z].{20,260}[.)]$/);
  });
});
