import { isDeepStrictEqual } from 'node:util';
import type { Value } from '../arbitrary-types.js';
import type { Outcome } from './decoders.js';

/** A way in which another decoder differs from ours, on purpose. */
interface Difference {
  readonly other: 'viem' | 'ethers';
  readonly name: string;
  /** Why we do what we do. */
  readonly why: string;
  /** @param again Decodes the data with zeros after it, by the other decoder. */
  readonly explains: (ours: Outcome, other: Outcome, again: (zeros: number) => Outcome) => boolean;
}

const isRefused = (outcome: Outcome, reason: RegExp) => 'refused' in outcome && reason.test(outcome.refused);
const accepts = (outcome: Outcome) => 'values' in outcome;

const wideInteger = {
  name: 'reads an integer with bits beyond its type',
  why: 'viem takes the whole word for the value, ethers cuts it: whoever trusts either gets another amount.',
  explains: (ours: Outcome, other: Outcome) => isRefused(ours, /^is out of range/) && accepts(other),
};
const repeated = {
  name: 'reads data that repeats itself more than 8 times',
  why: 'Compilers repeat nothing, and a bound on the work has to be somewhere. ethers has it at 1024 times.',
  explains: (ours: Outcome, other: Outcome) => isRefused(ours, /^repeats/) && accepts(other),
};

/** All ways in which decoders may differ. */
export const DIFFERENCES: readonly Difference[] = [
  { other: 'viem', ...wideInteger },
  { other: 'ethers', ...wideInteger },
  {
    other: 'viem',
    name: 'cuts an address of more than 20 bytes',
    why: 'A contract would revert. ethers refuses it, too.',
    explains: (ours, viem) => isRefused(ours, /^is longer than an address/) && accepts(viem),
  },
  {
    other: 'ethers',
    name: 'reads any bool but 0 as true',
    why: 'A contract would revert. viem refuses it, too.',
    explains: (ours, ethers) => isRefused(ours, /^is neither true nor false/) && accepts(ethers),
  },
  {
    other: 'viem',
    name: 'drops the byte order mark of a text',
    why: 'It is part of the value.',
    explains: isLike,
  },
  {
    other: 'ethers',
    name: 'refuses text that is not UTF-8',
    why: 'Solidity checks no text, so the event is authentic. viem writes U+FFFD, too.',
    explains: (ours, ethers) =>
      'values' in ours && hasReplacement(ours.values) && isRefused(ethers, /^INVALID_ARGUMENT$/),
  },
  {
    other: 'viem',
    name: 'refuses an offset in the last word of the data',
    why: 'Its cursor moves on behind the data. ethers reads it, too.',
    explains: (ours, viem, again) =>
      isRefused(viem, /^PositionOutOfBounds/) && accepts(ours) && isLike(ours, again(32)),
  },
  { other: 'viem', ...repeated },
  { other: 'ethers', ...repeated },
  {
    other: 'viem',
    name: 'reads bytesN of which the word is cut off',
    why: 'Only the padding of bytes and text is known to be absent from real data. ethers refuses it, too.',
    explains: (ours, viem, again) => isRefused(ours, /the data ends/) && accepts(viem) && isLike(viem, again(32)),
  },
];

export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

/** Whether two decoders read the same, a byte order mark aside. */
function isLike(one: Outcome, other: Outcome): boolean {
  return 'values' in one && 'values' in other && isSame(unmarked(one.values), unmarked(other.values));
}

function unmarked(value: Value): Value {
  if (typeof value === 'string') return value.replace(/^\uFEFF/, '');
  return Array.isArray(value) ? value.map(unmarked) : value;
}

function hasReplacement(value: Value): boolean {
  return Array.isArray(value) ? value.some(hasReplacement) : typeof value === 'string' && value.includes('\uFFFD');
}
