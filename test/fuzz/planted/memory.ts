import type { Target } from '../target.js';

/** Believes a length that it reads. */
function read(input: Buffer): number {
  const length = input[0] === 0x6c && input.length > 1 ? 1_000_000 * input.readUInt8(1) : 0;
  return Buffer.alloc(length).length;
}

export const target: Target = { seeds: ['l\x00'], run: (input) => void read(input) };
