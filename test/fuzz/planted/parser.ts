import type { Target } from '../target.js';

/** Behind three conditions, each of which random bytes meet once in thousands of millions of tries. */
function parse(text: string): number {
  let depth = 0;
  if (text.startsWith('planted')) {
    depth = 1;
    if (text.slice(7).startsWith('defect')) {
      depth = 2;
      if (text.endsWith('found')) throw new RangeError('the planted defect');
    }
  }
  return depth;
}

export const target: Target = { seeds: ['x'], run: (input) => void parse(input.toString('latin1')) };
