import { type AbiFunction, type Address, encodeFunctionData, type Hex, toEventSelector } from 'viem';
import type { Random } from '../chaos/random.js';
import type { Param } from '../evm/arbitrary-types.js';
import { randomValue } from '../evm/differential/random-values.js';
import type { Chain, Deployed } from './chain.js';

/** A call of a contract. */
export interface Call {
  readonly from: Address;
  readonly contract: Deployed;
  readonly item: AbiFunction;
  readonly args: readonly unknown[];
}

/** The data of a call. The one function is all of the ABI that is needed, so that no overload is mistaken for it. */
export function encodeCall({ item, args }: Pick<Call, 'item' | 'args'>): Hex {
  return encodeFunctionData({ abi: [item], functionName: item.name, args });
}

/** Bytes of texts: UTF-8, broken in the ways in which it can be, and marked. */
const ODD_TEXTS: readonly Hex[] = [
  ...(['0x', '0xefbbbf', '0xefbbbf61', '0x61efbbbf', '0xff', '0xe282', '0xe28261', '0xf09f91'] as const),
  ...(['0xc080', '0xeda080', '0xf4908080', '0xc3a9', '0x00'] as const),
];

const functionsOf = ({ abi }: Deployed) => abi.filter((item) => item.type === 'function');

/** Calls that make sense for a token: what it moves is there, except now and then. */
export function planner({ contracts, accounts }: Chain, random: Random) {
  const { points, coins, deeds, goods, odd } = contracts;
  const people = accounts.slice(0, 4);
  const someone = () => random.pick(people);
  const several = <T>(make: () => T) => Array.from({ length: random.int(1, 4) }, make);
  /** Fractions of a coin and whole ones; 0 too. */
  const amount = () => random.pick([0n, 1n, BigInt(random.int(2, 5000)), 10n ** 16n, 2n * 10n ** 18n]);
  const small = () => BigInt(random.int(0, 9));
  const anyBytes = () => random.pick([...ODD_TEXTS, `0x${random.hex(2 * random.int(1, 40))}`]);
  const good = () => BigInt(random.int(0, 3));
  const owners: Address[] = [];

  function call(contract: Deployed, name: string, args: readonly unknown[], from = someone()): Call {
    const item = functionsOf(contract).find((each) => each.name === name);
    if (!item) throw new Error(`${contract.label} has no function ${name}.`);
    return { from, contract, item, args };
  }

  const ofToken = (token: Deployed): Call =>
    random.pick([
      () => call(token, 'mint', [someone(), amount()]),
      () => call(token, 'transfer', [someone(), amount()]),
      () => call(token, 'approve', [someone(), amount()]),
      () => call(token, 'transferFrom', [someone(), someone(), random.pick([0n, small()])]),
      () => call(token, 'burn', [small()]),
      () => {
        const to = several(someone);
        return call(token, 'transferMany', [to, to.map(small)]);
      },
    ])();

  function ofDeeds(): Call {
    const id = random.int(0, owners.length - 1);
    const owner = owners[id];
    if (owner === undefined || random.chance(0.3)) {
      const to = someone();
      return call(deeds, 'mint', [to, BigInt(owners.push(to) - 1)]);
    }
    // Now and then not the owner, which fails.
    const from = random.chance(0.9) ? owner : someone();
    return random.pick([
      () => call(deeds, 'approve', [someone(), BigInt(id)], from),
      () => call(deeds, 'setApprovalForAll', [someone(), random.chance(0.5)], from),
      () => {
        const to = someone();
        if (from === owner) owners[id] = to;
        return call(deeds, 'transferFrom', [owner, to, BigInt(id)], from);
      },
    ])();
  }

  function ofGoods(): Call {
    const ids = several(good);
    const values = ids.map(small);
    const from = someone();
    return random.pick([
      () => call(goods, 'mint', [someone(), good(), amount()]),
      () => call(goods, 'mintBatch', [someone(), ids, values]),
      () => call(goods, 'setApprovalForAll', [someone(), random.chance(0.5)]),
      () => call(goods, 'setURI', [random.pick(['', 'ipfs://{id}', 'https://example.com/日本?a=1&b=<2>']), good()]),
      () => call(goods, 'safeTransferFrom', [from, someone(), good(), small(), anyBytes()], from),
      () => call(goods, 'safeBatchTransferFrom', [from, someone(), ids, values, '0x'], from),
    ])();
  }

  const oddFunctions = functionsOf(odd);
  /** Each function in turn, so that each of its events is there. */
  function ofOdd(at: number): Call {
    const item = oddFunctions[at % oddFunctions.length] as AbiFunction;
    const args: unknown[] = item.inputs.map((input) => randomValue(random, input as Param));
    const colour = () => random.int(0, 2);
    if (item.name === 'chosen') args.splice(0, 2, colour(), colour());
    if (item.name === 'lists') args[3] = several(colour);
    if (item.name === 'rawText') args[0] = anyBytes();
    if (item.name === 'masked' && random.chance(0.5)) args[0] = toEventSelector('Proto(uint256,address,int64)');
    if (item.name === 'relay') {
      const inner = random.pick([
        () => call(points, 'mint', [someone(), amount()]),
        () => call(goods, 'setURI', ['relayed', good()]),
        () => call(coins, 'burn', [10n]),
      ])();
      args.splice(0, 2, inner.contract.address, encodeCall(inner));
    }
    return { from: someone(), contract: odd, item, args };
  }

  return {
    /** What everybody has to begin with. */
    first: people.flatMap((person): Call[] => [
      call(points, 'mint', [person, 1000n]),
      call(coins, 'mint', [person, 10n ** 19n]),
      call(goods, 'mintBatch', [person, [0n, 1n, 2n, 3n], [50n, 50n, 50n, 50n]]),
    ]),
    next(at: number): Call {
      if (at % 2 === 0) return ofOdd(at / 2);
      return random.pick([() => ofToken(points), () => ofToken(coins), ofDeeds, ofGoods])();
    },
  };
}
