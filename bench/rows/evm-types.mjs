import { decodingBenchmark } from '../lib/decoding.mjs';
import { addressesOf, eventAbi, input } from '../lib/evm.mjs';

const times = (count, make) => Array.from({ length: count }, (_, at) => make(at));
const address = addressesOf(10);
const amount = (at) => 10n ** 18n + BigInt(at);
const bytes = (size, at) => `0x${at.toString(16).padStart(2 * size, 'ab')}`;
const text = (at) => `Filled at the price of day ${at}, without a fee.`;
const order = { components: [input('maker', 'address'), input('amount', 'uint256'), input('note', 'string')] };
const orderOf = (at) => ({ maker: address(at), amount: amount(at), note: text(at) });

/** A type, what else an ABI says of it, and a value of it by number. */
const TYPES = [
  ['bool', {}, (at) => at % 2 === 0],
  ['int8', {}, (at) => (at % 256) - 128],
  ['uint64', {}, amount],
  ['uint256', {}, amount],
  ['int256', {}, (at) => -amount(at)],
  ['address', {}, address],
  ['bytes4', {}, (at) => bytes(4, at)],
  ['bytes32', {}, (at) => bytes(32, at)],
  ['bytes', {}, (at) => bytes(200, at)],
  ['string', {}, text],
  ['uint256[]', {}, (at) => times(50, (each) => amount(at + each))],
  ['int8[32]', {}, (at) => times(32, (each) => ((at + each) % 256) - 128)],
  ['bytes32[4][]', {}, (at) => times(8, (each) => times(4, (one) => bytes(32, at + each + one)))],
  ['string[]', {}, (at) => times(10, (each) => text(at + each))],
  ['tuple', order, orderOf],
  ['tuple[][]', order, (at) => times(3, (each) => times(3, (one) => orderOf(at + each + one)))],
];

const alone = TYPES.map(([type, more, make]) => ({
  name: `of ${type}`,
  item: eventAbi('Emitted', input('value', type, more)),
  count: 400,
  argsOf: () => (index) => ({ value: make(index) }),
}));

const many = {
  name: 'of 12 uint256',
  item: eventAbi('Emitted', ...times(12, (at) => input(`value${at}`, 'uint256'))),
  argsOf: () => (index) => Object.fromEntries(times(12, (at) => [`value${at}`, amount(index + at)])),
  count: 400,
};

export const benchmarks = [...alone, many].map(decodingBenchmark);
