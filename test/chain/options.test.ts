import { expect, it } from 'vitest';
import { type ChainSourceOptions, chainSource, type WatchChainOptions, watchChain } from '../../src/chain/index.js';
import { createRecorder, people, token } from './watching.js';

const KEY = 'k3y0123456789abcdef';

const abi = [{ type: 'event', name: 'Odd', inputs: [{ name: 'a', type: 'fixed128x18' }] }];
const other = { ...token, address: people[0] };
it.each<[string, Record<string, unknown>, string]>([
  ['an invalid URL', { rpcUrl: `localhost/${KEY}` }, '`rpcUrl` must be the http: or https: URL of a node'],
  ['nothing to watch', { contracts: [] }, 'contracts nor wallets'],
  ['contracts that are not an array', { contracts: token }, '`contracts` must be an array, got'],
  ['wallets that are not an array', { wallets: people[0] }, '`wallets` must be an array, got'],
  [
    'an invalid contract',
    { contracts: [token, null] },
    '`contracts[1].name` must be a non-empty string, got undefined.',
  ],
  [
    'an invalid address',
    { contracts: [token, { ...token, address: '0x12' }] },
    '`contracts[1].address` must be an address: 0x and 40 hex digits, got a string.',
  ],
  [
    'an address with a typing error',
    { contracts: [{ ...token, address: token.address.replace('5F', '5f') }] },
    '`contracts[0].address` is an address with a wrong checksum',
  ],
  [
    'a contract that is there twice',
    { contracts: [token, other, { ...token, address: token.address.toLowerCase() }] },
    '`contracts[2]` repeats the address of another contract',
  ],
  [
    'a misspelt option',
    { contracts: [token], fromblock: 1 },
    '`watchChain` has no option `fromblock`. Did you mean `fromBlock`?',
  ],
  ['a wallet that is there twice', { wallets: [people[0], people[0]] }, '`wallets[1]` repeats another wallet.'],
  ['an invalid wallet', { wallets: ['me'] }, '`wallets[0]` must be an address'],
  ['an invalid ABI', { contracts: [{ ...token, abi: {} }] }, 'contracts[0] (token): `abi` must be an array'],
  [
    'an event that no log can be read by',
    { contracts: [other, { ...token, abi }] },
    'contracts[1] (token): `abi` has a type',
  ],
  [
    'an item whose inputs are null',
    { contracts: [{ ...token, abi: [...token.abi, { type: 'function', name: 'f', inputs: null }] }] },
    'contracts[0] (token): The function at position 2 of `abi` lacks a name, or types of its inputs',
  ],
  ['an invalid first block', { fromBlock: -1 }, '`fromBlock` must be'],
  ['an interval that no timer takes', { pollIntervalMs: 2 ** 31 }, '`pollIntervalMs` must be'],
  ['no onEvents', { onEvents: undefined }, '`onEvents` must be a function, got undefined.'],
])('watchChain refuses %s, and names the option', async (_, options, message) => {
  const all = { rpcUrl: `http://127.0.0.1:9/${KEY}`, contracts: [token], onEvents() {}, ...options };
  const error = await watchChain(all as WatchChainOptions).catch((caught) => caught);
  expect(error).toMatchObject({ name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG' });
  expect(error.message).toContain(message);
  expect(error.message).not.toContain(KEY);
});

const inputs = [{ name: 'a', type: 'fixed168x10' }];
const odd = [
  { type: 'event', name: 'Rate', inputs },
  { type: 'function', name: 'rate', inputs },
  { type: 'function', name: 'set', inputs: [{ name: 'a', type: 'tuple[]' }] },
];
const contracts = [token, { ...token, address: people[0], label: 'vyper', abi: [...odd, ...token.abi] }];
const options = { rpcUrl: 'http://127.0.0.1:9/', contracts, pollIntervalMs: 1, onEvents() {} };

it.each<[string, (logger: WatchChainOptions['logger']) => unknown]>([
  ['watchChain', (logger) => watchChain({ ...options, logger }).catch(() => {})],
  ['chainSource', (logger) => chainSource({ rpcUrl: options.rpcUrl, contracts, logger } as ChainSourceOptions)],
])('%s takes an ABI without the items whose types cannot be decoded, with one warning', async (_, create) => {
  const { logger, lines } = createRecorder();
  await create(logger);
  expect(lines).toMatchObject([{ level: 'warn', fields: { contract: people[0] } }]);
  expect(lines[0]?.message).toBe(
    'contracts[1] (vyper): items of its ABI have types that cannot be decoded, and are skipped: event Rate, function set, function rate.',
  );
});
