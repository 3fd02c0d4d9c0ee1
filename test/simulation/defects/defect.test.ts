import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { patched } from '../subject/load.js';
import { defects } from './index.js';

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

it.each(defects)('the defect "$name" fits the code', ({ patches }) => {
  for (const patch of patches) expect(patched(textOf(patch.file), patch)).not.toBe(textOf(patch.file));
});
