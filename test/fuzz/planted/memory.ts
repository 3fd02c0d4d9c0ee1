import type { Target } from '../target.js';

let kept = Buffer.alloc(0);

/** Believes a length that it reads. */
function read(input: Buffer): void {
  kept = Buffer.alloc(0);
  if (input[0] === 0x6c && input.length > 1) kept = Buffer.alloc(1_000_000 * input.readUInt8(1));
}

export const target: Target = { seeds: ['l\x00'], run: read };

/** So that nothing takes it for unused. */
export const size = () => kept.length;
