import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Hex } from './types.js';

const utf8 = new TextEncoder();

/** The keccak256 hash of bytes, as bytes. */
export const keccak256: (bytes: Uint8Array) => Uint8Array = keccak_256;

/** The keccak256 hash of bytes. */
export function keccakOf(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(keccak256(bytes))}`;
}

/** The keccak256 hash of text, such as the signature `Transfer(address,address,uint256)`. */
export function hashOf(text: string): Hex {
  return keccakOf(utf8.encode(text));
}
