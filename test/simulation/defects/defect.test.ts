import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { patched } from '../subject/load.js';
import { bundleWith } from './defect.js';
import { defects } from './index.js';
import { unfound } from './unfound.js';

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe('a defect', () => {
  it.each([...defects, ...unfound])('"$name" fits the code', ({ patches }) => {
    const texts = new Map<string, string>();
    for (const patch of patches) {
      const text = texts.get(patch.file) ?? textOf(patch.file);
      texts.set(patch.file, patched(text, patch));
      expect(texts.get(patch.file)).not.toBe(text);
    }
  });

  it('has its own name', () => {
    expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length);
  });

  it('is in the code that it is bundled with', async () => {
    const patch = { file: 'src/stores/memory.ts', find: 'maxKeys = 100_000', replace: 'maxKeys = 77_777' };
    expect(await bundleWith({ name: 'x', patches: [patch] })).toContain('77777');
  });

  it('whose text is gone or occurs twice is refused by its name', async () => {
    const patch = { file: 'src/stores/memory.ts', find: 'no such text', replace: '' };
    const bundle = (find: string) => bundleWith({ name: 'x', patches: [{ ...patch, find }] });
    await expect(bundle('no such text')).rejects.toThrow(/The defect "x" does not fit the code: .*finds it 0 times/s);
    await expect(bundle('const')).rejects.toThrow(/The defect "x" does not fit the code/);
  });
});
