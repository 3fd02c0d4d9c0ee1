import type { AbiParameter } from 'abitype';
import type { JsonValue } from '../events/types.js';

/** What is known of one Solidity type: how its values come from the chain and from the wire's inputs. */
export interface Codec {
  /** Canonical text of the type, as in a signature: `(address,uint256)[]`. */
  readonly type: string;
  /** The type with the names of components, which tells apart what has the same signature. */
  readonly shape: string;
  /** Whether the topic of an indexed one holds its keccak256 hash. */
  readonly isHashed: boolean;
  /** What viem decodes in its place: tuples without names, so that none is lost, and text as its bytes. */
  readonly parameter: AbiParameter;
  /** The value, made of what viem decoded; where it is missing, that is the value. Throws a `Problem`. */
  readonly fromChain?: ((decoded: unknown) => unknown) | undefined;
  /** The value, made of the value of an input. Throws a `Problem` unless that is exact. */
  readonly fromWire: (wire: JsonValue) => unknown;
  /** Whether the value of an input can stand for a value that came from the chain. */
  readonly agrees: (value: unknown, wire: JsonValue) => boolean;
}
