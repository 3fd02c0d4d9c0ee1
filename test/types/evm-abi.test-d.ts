import { type Abi, parseAbi } from 'abitype';
import type { DecodeEventLogReturnType, erc20Abi, erc721Abi } from 'viem';
import { describe, expectTypeOf, test } from 'vitest';
import type { DecodedEvent, EventArgs, EventNames, Hex, RawLog } from '../../src/evm/index.js';

/** What an input of a type gives, not indexed unless `More` says so. */
type Value<Type extends string, More = unknown> =
  EventArgs<Inputs<[{ name: 'it'; type: Type } & More]>> extends {
    it: infer Given;
  }
    ? Given
    : never;
interface Inputs<Items extends readonly unknown[]> {
  type: 'event';
  name: 'Happened';
  inputs: Readonly<Items>;
}
type Values<Types extends string, More = unknown> = { [Type in Types]: Value<Type, More> };
interface Indexed {
  indexed: true;
}

const wide = [{ type: 'event', name: 'Transfer', inputs: [{ name: 'to', type: 'address', indexed: true }] }];
type Wide = Record<string, unknown> | readonly unknown[] | undefined;

test('an input that is indexed is the hash of what does not fit a topic, and the value of what does', () => {
  type Hashed = 'string' | 'bytes' | 'uint8[]' | 'bool[3]' | 'string[][2]' | 'tuple' | 'tuple[]' | 'tuple[2]';
  type Component = { components: readonly [{ name: 'a'; type: 'uint8' }] };
  expectTypeOf<Values<Hashed, Indexed & Component>>().toEqualTypeOf<Record<Hashed, Hex>>();
  expectTypeOf<Values<'uint8' | 'int256' | 'bool' | 'bytes32' | 'address', Indexed>>().toEqualTypeOf<{
    uint8: number;
    int256: bigint;
    bool: boolean;
    bytes32: Hex;
    address: Hex;
  }>();
  expectTypeOf<Value<'string', { indexed: false }>>().toEqualTypeOf<string>();
});

test('the arguments of an event are an object when every input has a name, and else a tuple', () => {
  type To = { name: 'to'; type: 'address'; indexed: true };
  type Text = { name: 'text'; type: 'string'; indexed: true };
  expectTypeOf<EventArgs<Inputs<[To, Text]>>>().toEqualTypeOf<{ to: Hex; text: Hex }>();
  expectTypeOf<EventArgs<Inputs<[To, { type: 'uint8' }]>>>().toEqualTypeOf<readonly [Hex, number]>();
  expectTypeOf<EventArgs<Inputs<[{ name: ''; type: 'bool' }, Text]>>>().toEqualTypeOf<readonly [boolean, Hex]>();
  expectTypeOf<EventArgs<Inputs<[{ name: undefined; type: 'bool' }]>>>().toEqualTypeOf<readonly [boolean]>();
});

describe('the events of an ABI', () => {
  const human = parseAbi([
    'struct Leg { address token; uint256[2] amounts; }',
    'event Settled(bytes32 indexed id, Leg[] legs, string indexed note)',
    'event Paused()',
    'event Paused(address)',
    'function pause()',
  ]);
  type Human = typeof human;

  test('always have a log with requireLog', () => {
    expectTypeOf<DecodedEvent<typeof erc20Abi, 'Transfer', true>['log']>().toEqualTypeOf<RawLog>();
    expectTypeOf<DecodedEvent<typeof erc20Abi, 'Transfer', boolean>['log']>().toEqualTypeOf<RawLog | undefined>();
    // @ts-expect-error no such event
    type _ = DecodedEvent<typeof erc20Abi, 'Transferred'>;
  });

  test('can be written for people', () => {
    expectTypeOf<EventNames<Human>>().toEqualTypeOf<'Settled' | 'Paused'>();
    expectTypeOf<DecodedEvent<Human, 'Settled'>['args']>().toEqualTypeOf<{
      id: Hex;
      legs: readonly { token: Hex; amounts: readonly [bigint, bigint] }[];
      note: Hex;
    }>();
  });

  test('are a union where one name has several', () => {
    expectTypeOf<DecodedEvent<Human, 'Paused'>['args']>().toEqualTypeOf<undefined | readonly [Hex]>();
    type Both = readonly [...typeof erc20Abi, ...typeof erc721Abi];
    expectTypeOf<DecodedEvent<Both, 'Transfer'>['args']>().toEqualTypeOf<
      { from: Hex; to: Hex; value: bigint } | { from: Hex; to: Hex; tokenId: bigint }
    >();
    expectTypeOf<EventNames<Both>>().toEqualTypeOf<'Transfer' | 'Approval' | 'ApprovalForAll'>();
  });

  test('are of any name and arguments where the type of the ABI does not tell', () => {
    interface Any<Name> {
      readonly eventName: Name;
      readonly args: Wide;
      readonly log: RawLog | undefined;
    }
    // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse gives
    type Parsed = any;
    expectTypeOf<DecodedEvent<Abi>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<typeof wide>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<readonly unknown[]>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<Parsed>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<Parsed[]>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<readonly [...typeof erc20Abi, ...typeof wide]>>().toEqualTypeOf<Any<string>>();
    expectTypeOf<DecodedEvent<Abi, 'Transfer'>>().toEqualTypeOf<Any<'Transfer'>>();
    expectTypeOf<DecodedEvent<typeof erc20Abi | Human>>().toExtend<DecodedEvent<Abi>>();
  });

  test('have the arguments of viem, but for what viem types as the value when it gives a hash', () => {
    type Viem<Of extends Abi, Name extends string> = Extract<DecodeEventLogReturnType<Of>, { eventName: Name }>['args'];
    const same = parseAbi([
      'struct Leg { address token; uint256[2] amounts; }',
      'event Settled(bytes32 indexed id, Leg[] legs, (uint8 a, bool[][3] b) more, uint48 at, uint56 next)',
      'event Unnamed(uint256 indexed, string)',
    ]);
    expectTypeOf<DecodedEvent<typeof erc20Abi, 'Transfer'>['args']>().toEqualTypeOf<
      Viem<typeof erc20Abi, 'Transfer'>
    >();
    expectTypeOf<DecodedEvent<typeof erc721Abi>['args']>().toEqualTypeOf<
      DecodeEventLogReturnType<typeof erc721Abi>['args']
    >();
    expectTypeOf<DecodedEvent<typeof same, 'Settled'>['args']>().toEqualTypeOf<Viem<typeof same, 'Settled'>>();
    expectTypeOf<DecodedEvent<typeof same, 'Unnamed'>['args']>().toEqualTypeOf<Viem<typeof same, 'Unnamed'>>();
    type Note = [Viem<Human, 'Settled'>['note'], DecodedEvent<Human, 'Settled'>['args']['note']];
    expectTypeOf<Note>().toEqualTypeOf<[string, Hex]>();
  });
});
