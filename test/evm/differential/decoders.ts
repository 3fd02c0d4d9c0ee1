import { AbiCoder, isError, ParamType, type Result } from 'ethers';
import { type AbiParameter, decodeAbiParameters, type Hex } from 'viem';
import { AbiData } from '../../../src/evm/abi-data.js';
import { decodeValues } from '../../../src/evm/codec.js';
import { codecOf } from '../../../src/evm/codec-of.js';
import type { Param, Value } from '../arbitrary-types.js';
import { canonicalType } from '../encode.js';

/** The values of data, or the reason why a decoder refuses it. */
export type Outcome = { readonly values: Value } | { readonly refused: string };

/** Prepares to decode data of parameters without names. */
export type Decoder = (params: readonly Param[]) => (data: Hex) => Outcome;

class Refusal extends Error {}

export const ours: Decoder = (params) => {
  const encoded = params.map((param) => ({ codec: codecOf(param as AbiParameter), label: '' }));
  const fail = (_: string, reason: string) => new Refusal(reason);
  return (data) =>
    outcome(
      () => decodeValues(encoded, new AbiData(data), fail),
      (error) => (error instanceof Refusal ? error.message : undefined),
    );
};

export const viem: Decoder = (params) => (data) =>
  outcome(
    () => decodeAbiParameters(params as readonly AbiParameter[], data),
    ({ name }) => (name === 'Error' ? undefined : name),
  );

const CODES = ['BUFFER_OVERRUN', 'INVALID_ARGUMENT', 'NUMERIC_FAULT'] as const;

/** The types as ethers takes them. */
export const ethersTypes = (params: readonly Param[]) => params.map((param) => ParamType.from(canonicalType(param)));

export const ethers: Decoder = (params) => {
  const types = ethersTypes(params);
  return (data) =>
    outcome(
      // Loose as for events: the padding of the last value may be absent.
      () => AbiCoder.defaultAbiCoder().decode(types, data, true).map(plain),
      (error) => {
        const cause = (error as { error?: unknown }).error ?? error;
        return CODES.find((code) => isError(cause, code));
      },
    );
};

/** ethers reports a part that it cannot decode only when it is read. */
function plain(value: unknown): unknown {
  return Array.isArray(value) ? (value as Result).toArray().map(plain) : value;
}

/** @param reasonOf Returns undefined for an error that is a defect of the decoder. */
function outcome(decode: () => readonly unknown[], reasonOf: (error: Error) => string | undefined): Outcome {
  try {
    return { values: decode().map(toValue) };
  } catch (error) {
    const refused = reasonOf(error as Error);
    if (refused === undefined) throw error;
    return { refused };
  }
}

/** Integers of any width as bigint. */
export function toValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toValue);
  return typeof value === 'number' ? BigInt(value) : (value as Value);
}
