import { parseEventEmitted } from 'event-webhook-receiver';
import { decodeEvent } from 'event-webhook-receiver/evm';
import { erc20Abi, parseAbi } from 'viem';
import { describe, expect, test } from 'vitest';
import { receiver } from './receiver.js';
import { inProcess, SECRET, scratch, ways } from './tool.js';

const env = { WEBHOOK_SECRET: SECRET };
const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TOKEN = '0x8464135c8F25Da09e49BC8782676a84730C318bC';

const args = (...given: string[]) => given.flatMap((each) => ['--arg', each]);

/** Sends events of an ABI, and decodes what arrives. */
async function sent(abi: readonly unknown[], options: readonly string[], tool = inProcess, content: unknown = abi) {
  const { url, requests } = await receiver();
  const file = await (await scratch())('token.json', JSON.stringify(content));
  const ran = await tool(['send', url, '--abi', file, ...options], { env });
  expect(ran).toMatchObject({ code: 0 });
  const events = requests.flatMap(({ body }) => JSON.parse(body.toString()) as unknown[]).map(parseEventEmitted);
  return { ...ran, events, decoded: events.map((event) => decodeEvent(event, abi, { requireLog: true })) };
}

/** The error of a run that sends nothing. */
async function refusal(abi: unknown, options: readonly string[]) {
  const file = await (await scratch())('token.json', typeof abi === 'string' ? abi : JSON.stringify(abi));
  const { code, stdout, stderr } = await inProcess(['send', 'http://127.0.0.1:1/', '--abi', file, ...options], { env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/error: [^\n]+\n$/);
  return stderr.replaceAll(file, 'token.json');
}

describe.each(ways)('send --abi ($way)', ({ tool }) => {
  test('sends an event of the ABI that decodes', async () => {
    const options = ['--event', 'Transfer', ...args(`from=${FROM}`, `to=${TO}`, 'value=15')];
    const { events, decoded, stderr } = await sent(erc20Abi, [...options, '--contract', TOKEN], tool);
    expect(stderr).toBe('');
    expect(decoded).toMatchObject([{ eventName: 'Transfer', args: { from: FROM, to: TO, value: 15n } }]);
    expect(events[0]?.data.event.contract.address).toBe(TOKEN);
  });
});

test('the event of an overloaded name is chosen by its signature', async () => {
  const abi = parseAbi([
    'event Set(uint256 value)',
    'event Set(uint256 value, bool on)',
    'event Set((uint8 kind)[] parts)',
  ]);
  const signatures = async (...options: string[]) =>
    (await sent(abi, options)).events.map(({ data }) => data.event.signature);
  expect(await signatures('--event', 'Set(uint, bool)')).toEqual(['Set(uint256,bool)']);
  expect(await signatures('--event', 'Set((uint8)[])')).toEqual(['Set((uint8)[])']);
  expect(await refusal(abi, ['--event', 'Set'])).toContain(
    'Several events are named Set: choose one by its signature with --event. It has Set(uint256), Set(uint256,bool), Set((uint8)[]).',
  );
});

test('the samples fit inputs without a name, and a long list', async () => {
  const abi = parseAbi(['event E(uint256, string, bytes24, uint64 deadline, uint8 time)']);
  const { decoded, stderr } = await sent(abi, []);
  expect(decoded[0]?.args).toMatchObject({ 0: 1n, 1: 'sample', 3: 1n, 4: 1 });
  expect(stderr).toContain('Sample values: 0=1, 1=sample, ');
  const many = parseAbi([`event Many(${Array(20).fill('bytes32').join()})`] as readonly string[]);
  expect((await sent(many, [])).stderr).toMatch(/…\n$/);
  expect((await sent(abi, args('1=text'))).decoded[0]?.args).toMatchObject({ 1: 'text' });
  expect(await refusal(abi, args('6=1'))).toContain('has no input 6: it takes 0, 1, 2, deadline, time.');
  expect(await refusal(parseAbi(['event None()']), args('a=1'))).toContain('it takes none.');
});

describe('the arguments', () => {
  const abi = parseAbi([
    'event Order(string memo, (uint256 id, address[] owners) item, uint256[2] amounts, bytes4 kind, int256 change, bool on)',
  ]);

  test('are given by name, with arrays and tuples in JSON', async () => {
    const item = `{"id":123456789012345678901234567890,"owners":["${TO}"]}`;
    const given = args(
      'memo=a=b]"',
      `item=${item}`,
      'amounts=[1,"0x2"]',
      'kind=0x01020304',
      'change=-1500',
      'on=false',
    );
    const { decoded, stderr } = await sent(abi, given);
    expect(decoded[0]?.args).toEqual({
      memo: 'a=b]"',
      item: { id: 123456789012345678901234567890n, owners: [TO] },
      amounts: [1n, 2n],
      kind: '0x01020304',
      change: -1500n,
      on: false,
    });
    expect(stderr).toBe('');
  });

  test.each<[string[], string]>([
    [args('a,b'), '--arg must be NAME=VALUE, such as value=15.'],
    [args('memo=a', 'memo=b'), '--arg memo is given twice.'],
    [
      args('mem=a'),
      'Order(string,(uint256,address[]),uint256[2],bytes4,int256,bool) has no input mem: it takes memo, item,',
    ],
    [args('change=x'), '--arg: change must be an integer for int256'],
    [args('amounts=[1.5,2]'), '--arg: amounts[0] is a decimal or a time, but its type is an integer'],
    [['--contract', '0x12'], '--contract must be an address: 0x and 40 hex digits.'],
    [['--event', 'Transfer'], 'token.json has no event Transfer. It has Order(string,'],
  ])('%j are refused', async (options, message) => {
    expect(await refusal(abi, options)).toContain(message);
  });
});

test.each<[string, unknown, string]>([
  ['no JSON', '{', 'token.json is not JSON.'],
  ['no ABI', { abi: 5 }, 'token.json is not an ABI'],
  [
    'no events that can be read',
    [null, 5, { type: 'event' }, { type: 'event', name: 'E', inputs: [{ type: 5 }] }],
    'token.json has no events.',
  ],
  ['an unknown type', [{ type: 'event', name: 'E', inputs: [{ name: 'a', type: 'uint7' }] }], 'decoded: uint7'],
  [
    'a huge array',
    [{ type: 'event', name: 'E', inputs: [{ name: 'a', type: 'uint8[1000000000]' }] }],
    'must be an array of',
  ],
])('an ABI with %s: one line, exit code 2', async (_, abi, message) => {
  expect(await refusal(abi, [])).toContain(message);
});
