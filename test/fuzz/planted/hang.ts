import type { Target } from '../target.js';

/** Does not end for a text that begins with a bracket and ends with none. */
function skip(text: string): number {
  let at = 0;
  while (text[at] === '[') at = text.endsWith(']') ? at + 1 : at;
  return at;
}

export const target: Target = { seeds: ['[]'], mostMs: 100, run: (input) => void skip(input.toString('latin1')) };
