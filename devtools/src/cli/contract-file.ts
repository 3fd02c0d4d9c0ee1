import { basename, extname } from 'node:path';
import { isRecord } from '../guards.js';
import { inputError, usageError } from './command-error.js';
import { readInput } from './input-file.js';

/** A contract given by `--contract`. */
export interface GivenContract {
  readonly address: string;
  readonly abi: readonly unknown[];
  readonly name: string;
  readonly label: string;
}

const FORM = /^(0x[\da-f]{40})=(.+?)(?::([a-z\d_-]{1,100}))?$/i;
const MOST_BYTES = 20 * 1024 * 1024;

/**
 * Reads `address=abi.json` or `address=abi.json:label`. The file contains an ABI, or a compiler's artifact with an
 * `abi`.
 *
 * @throws CommandError when the text or the file has another form.
 */
export async function readContract(text: string): Promise<GivenContract> {
  const [, address, file, given] = FORM.exec(text) ?? [];
  if (address === undefined || file === undefined) {
    throw usageError(
      '--contract must be ADDRESS=ABI.json or ADDRESS=ABI.json:label, where ADDRESS is 0x and 40 hex digits.',
    );
  }
  const { abi, name } = await readAbi(file);
  const label = given ?? name.toLowerCase().replace(/[^a-z\d_-]+/g, '_');
  return { address, abi, name, label };
}

/**
 * Reads an ABI, or a compiler's artifact with an `abi`, and the contract's name from the artifact or the file's name.
 *
 * @throws CommandError `ERR_CLI_INPUT` when the file has another form.
 */
export async function readAbi(file: string): Promise<Pick<GivenContract, 'abi' | 'name'>> {
  const artifact = await readJson(file);
  const abi = Array.isArray(artifact) ? artifact : isRecord(artifact) ? artifact.abi : undefined;
  if (!Array.isArray(abi))
    throw inputError(`${file} is not an ABI: it must be an array, or an object with an "abi" array.`);
  const named = isRecord(artifact) && typeof artifact.contractName === 'string' ? artifact.contractName : undefined;
  return { abi, name: named || basename(file, extname(file)) };
}

async function readJson(file: string): Promise<unknown> {
  const { bytes } = await readInput(file, { stdin: process.stdin, maxBytes: MOST_BYTES });
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw inputError(`${file} is not JSON.`);
  }
}
