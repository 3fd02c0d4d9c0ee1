import { isDeepStrictEqual } from 'node:util';
import { parseAbiItem } from 'abitype';
import { keccak256, stringToHex, toEventSignature } from 'viem';
import { contractAbi } from '../../../src/chain/contract-abi.js';
import type { EventEmitted } from '../../../src/events/types.js';
import { contractEvent, DecodeError, decodeEvent, decodeTransaction, rawLog } from '../../../src/evm/index.js';
import { createRouter } from '../../../src/receiver/router.js';
import type { EventMatcher } from '../../../src/receiver/routes.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../../src/testing/samples.js';
import { check, partsOf, type Target, thrownBy } from '../target.js';

const WORD = 32;
const word = (byte: number) => `${'\0'.repeat(WORD - 1)}${String.fromCharCode(byte)}`;
/** Leaves of the decoded values for each byte of data: an empty tuple or array costs a word, and so does an offset. */
const MOST_LEAVES = 4096;

const abis = new Map<string, readonly unknown[] | undefined>();

/** An ABI of one event and one function with the same inputs; the same object for the same text, as it is read once. */
function abiOf(parameters: string): readonly unknown[] | undefined {
  if (abis.has(parameters)) return abis.get(parameters);
  if (abis.size > 2000) abis.clear();
  let abi: readonly unknown[] | undefined;
  try {
    const event = parseAbiItem(`event E(${parameters})` as 'event E()');
    const inputs = event.inputs.map(({ indexed: _, ...input }: { indexed?: boolean }) => input);
    abi = [event, { type: 'function', name: 'f', stateMutability: 'view', inputs, outputs: [] }];
  } catch {
    // Text that is no list of parameters.
  }
  abis.set(parameters, abi);
  return abi;
}

/** Counts values, and visits each once. */
function leavesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + leavesOf(each), 1);
}

function onlyDecodeError<T>(run: () => T): T | undefined {
  let value: T | undefined;
  const thrown = thrownBy(() => {
    value = run();
  });
  if (thrown && !(thrown.error instanceof DecodeError)) throw thrown.error;
  return value;
}

/** The parameters of an event as Solidity text, a number of topics, and then topics and data as bytes. */
export const target: Target = {
  seeds: [
    `address indexed a, uint256 b\n1${word(1)}${word(2)}`,
    `string a, bytes b\n0${word(64)}${word(128)}${word(1)}a${'\0'.repeat(31)}${word(1)}b${'\0'.repeat(31)}`,
    `(uint8 a, (bool b, string c)[] d) e, bytes4[2] f\n0${word(96)}${word(0)}${word(0)}${word(1)}${word(64)}${word(0)}`,
    `uint256[] a\n0${word(32)}${word(2)}${word(3)}${word(4)}`,
    `int8[][] indexed a, int64[3] b, uint40 c\n1${word(9)}${'\xff'.repeat(96)}${word(5)}`,
  ],
  dictionary: [
    ...'[] [0] [99] [4294967295] uint int48 bytes32 string bool function ,'.split(' '),
    'indexed ',
    '(uint8 a)',
    word(32),
    '\xff'.repeat(32),
  ],
  run(input) {
    const [head = input, rest = input] = partsOf(input, 2);
    const abi = abiOf(head.toString('latin1'));
    if (!abi) return;
    const count = Math.min(3, (rest[0] ?? 0x30) & 3);
    const bytes = rest.subarray(1);
    const words = Array.from({ length: count }, (_, at) => bytes.subarray(at * WORD, (at + 1) * WORD).toString('hex'));
    const data = `0x${bytes.subarray(count * WORD).toString('hex')}` as const;
    const signature = toEventSignature(abi[0] as never);
    const topics = [keccak256(stringToHex(signature)), ...words.map((each) => `0x${each.padStart(64, '0')}`)];

    const prepared = onlyConfig(() => contractAbi(abi));
    if (!prepared) return;
    const emitted = prepared.emitted({ topics: topics as never, data });
    const event = eventOf({ ...(emitted ?? { name: 'E', signature, inputs: [] }) }, topics, data);
    const decoded = onlyDecodeError(() => decodeEvent(event, abi as never) as { args: unknown });
    check((decoded === undefined) === (emitted === undefined), 'a log decodes if it can be written to the wire');
    checkCall(abi, data);
    checkMatchers(abi, event);
    if (!decoded || !emitted) return;
    check(leavesOf(decoded.args) <= MOST_LEAVES + bytes.length, 'the decoded values are bounded by the data');
    check(rawLog(event)?.data === data, 'the log is the one in rawFields');
    const { rawFields: _, ...bare } = event.data.event;
    const fromInputs = onlyDecodeError(
      () => decodeEvent({ ...event, data: { ...event.data, event: bare } }, abi as never) as { args: unknown },
    );
    check(fromInputs !== undefined, 'the inputs decode without the log');
    check(
      isDeepStrictEqual(readable(fromInputs?.args), readable(decoded.args)),
      'the inputs decode to what the log says',
    );
  },
};

/** Decoders write one replacement character or more for bytes that are not UTF-8. */
function readable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\uFFFD+/g, '\uFFFD');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(readable);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
}

function checkCall(abi: readonly unknown[], data: `0x${string}`): void {
  const selector = keccak256(stringToHex(toEventSignature({ ...(abi[0] as object), name: 'f' } as never))).slice(0, 10);
  const input = `${selector}${data.slice(2)}`;
  const transaction = sampleTransactionIncluded({ data: { tx: { input } } } as never);
  const decoded = onlyDecodeError(
    () => decodeTransaction(transaction, abi as never) as unknown as { call?: { functionName: string } },
  );
  const called = contractAbi(abi).called(input as `0x${string}`);
  check((decoded?.call === undefined) === (called === undefined), 'a call decodes if it can be written to the wire');
  check((decoded?.call?.functionName ?? 'f') === 'f', 'the call has the name of its selector');
}

/** A matcher without an address leaves to others what it cannot decode; one of the address says that it cannot. */
function checkMatchers(abi: readonly unknown[], event: EventEmitted): void {
  const { dispatch } = createRouter().on(contractEvent({ abi, name: 'E' } as never) as EventMatcher<unknown>, () => {});
  void dispatch(event, {} as never);
  const { address } = event.data.event.contract;
  onlyDecodeError(() => contractEvent({ abi, name: 'E', address } as never).select(event));
}

function eventOf(emitted: object, topics: readonly string[], data: string): EventEmitted {
  const event = sampleEventEmitted({ id: 'a' });
  const log = JSON.parse(event.data.event.rawFields ?? '{}');
  const rawFields = JSON.stringify({ ...log, topics, data });
  return { ...event, data: { ...event.data, event: { ...event.data.event, ...emitted, rawFields } } } as EventEmitted;
}

/** An ABI that cannot be decoded is refused as an option. */
function onlyConfig<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_WEBHOOK_CONFIG') throw error;
    return undefined;
  }
}
