import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { patched } from './defect.js';
import { defects } from './index.js';

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe('a defect', () => {
  it.each(defects)('"$name" fits the code', ({ name, patches }) => {
    const texts = new Map<string, string>();
    for (const patch of patches) {
      const text = texts.get(patch.file) ?? textOf(patch.file);
      texts.set(patch.file, patched(text, patch, name));
      expect(texts.get(patch.file)).not.toBe(text);
    }
  });

  it('has a name of its own', () => {
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it('whose text is gone or occurs twice is refused by its name', () => {
    const patch = { file: 'src/a.ts', find: 'b', replace: 'c' };
    expect(patched('abc', patch, 'x')).toBe('acc');
    expect(() => patched('ac', patch, 'x')).toThrow('The defect "x" does not fit src/a.ts: its text occurs 0 times');
    expect(() => patched('abb', patch, 'x')).toThrow('occurs 2 times instead of once');
  });

  it('replaces with text, not with a pattern', () => {
    expect(patched('ab', { file: 'a', find: 'b', replace: '$&$1' }, 'x')).toBe('a$&$1');
  });
});
