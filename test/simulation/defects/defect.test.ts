import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { patched } from '../subject/load.js';
import { defects } from './index.js';

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe('a defect of the simulation', () => {
  it.each(defects)('"$name" fits the code', ({ patches }) => {
    for (const patch of patches) expect(patched(textOf(patch.file), patch)).not.toBe(textOf(patch.file));
  });

  it('whose text is gone or occurs twice is refused', () => {
    const patch = { file: 'a.ts', find: 'const', replace: '' };
    expect(() => patched('let a;', patch)).toThrow('finds it 0 times');
    expect(() => patched('const a; const b;', patch)).toThrow('finds it 2 times');
  });
});
