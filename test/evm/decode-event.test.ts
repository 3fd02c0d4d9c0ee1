import { erc20Abi, erc721Abi, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractEvent, decodeEvent, rawLog } from '../../src/evm/index.js';
import { parseEventEmitted } from '../../src/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { BOB, eventOf, refusal, TOKEN } from './events.js';

const transferAbi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);

describe('decodeEvent', () => {
  it('gives name, typed arguments and log of the sample', () => {
    const event = parseEventEmitted(sampleEventEmitted());
    const decoded = decodeEvent(event, transferAbi);
    expect(decoded).toEqual({
      eventName: 'Transfer',
      args: {
        from: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        value: 10n ** 18n,
      },
      log: rawLog(event),
    });
  });

  it('takes the exact amount from the log where the input was converted', () => {
    const event = eventOf(transferAbi[0], { from: BOB, to: BOB, value: 123_456n }, { value: '123.456' });
    expect(decodeEvent(event, transferAbi).args.value).toBe(123_456n);
  });

  it('tells the Transfers of ERC-20 and ERC-721 apart in one ABI', () => {
    const abi = [...erc20Abi, ...erc721Abi] as const;
    const [erc721] = erc721Abi.filter((item) => item.type === 'event' && item.name === 'Transfer');
    const amount = eventOf(transferAbi[0], { from: BOB, to: TOKEN, value: 7n });
    const token = eventOf(erc721, { from: BOB, to: TOKEN, tokenId: 7n });
    expect(decodeEvent(amount, abi).args).toEqual({ from: BOB, to: TOKEN, value: 7n });
    expect(decodeEvent(token, abi).args).toEqual({ from: BOB, to: TOKEN, tokenId: 7n });
    for (const event of [amount, token]) delete event.data.event.rawFields;
    expect(decodeEvent(amount, abi).args).toEqual({ from: BOB, to: TOKEN, value: 7n });
    expect(decodeEvent(token, abi).args).toEqual({ from: BOB, to: TOKEN, tokenId: 7n });
  });

  it('accepts an event that the ABI contains twice', () => {
    const event = eventOf(transferAbi[0], { from: BOB, to: TOKEN, value: 7n });
    expect(decodeEvent(event, [...transferAbi, ...transferAbi]).args).toEqual({ from: BOB, to: TOKEN, value: 7n });
  });

  it('finds an anonymous event by its signature, though its first topic is the hash of another', () => {
    const [noted] = parseAbi(['event Noted(uint256 indexed hash, address indexed a, address indexed b, uint256 n)']);
    const abi = [{ ...noted, anonymous: true }] as const;
    const [transfer = '0x'] = rawLog(eventOf(transferAbi[0], { from: BOB, to: BOB, value: 1n }))?.topics ?? [];
    const args = { hash: BigInt(transfer), a: BOB, b: TOKEN, n: 5n };
    expect(decodeEvent(eventOf(abi[0], args), [...transferAbi, ...abi])).toMatchObject({ eventName: 'Noted', args });
  });

  it('refuses an event without rawFields if requireLog is set', () => {
    const event = parseEventEmitted(sampleEventEmitted());
    expect(decodeEvent(event, transferAbi, { requireLog: true }).log.logIndex).toBe(0);
    delete event.data.event.rawFields;
    expect(decodeEvent(event, transferAbi, { requireLog: false }).log).toBeUndefined();
    expect(refusal(() => decodeEvent(event, transferAbi, { requireLog: true }))).toMatchObject({
      code: 'ERR_WEBHOOK_RAW_FIELDS',
      input: 'rawFields',
      reason: 'is absent, but requireLog is set. Have the service send it.',
    });
  });

  it('refuses an option that it does not have', () => {
    const event = parseEventEmitted(sampleEventEmitted());
    const message = '`decodeEvent` has no option `requirelog`. Did you mean `requireLog`?';
    expect(() => decodeEvent(event, transferAbi, { requirelog: true } as never)).toThrow(message);
  });

  it('refuses a log that does not match the ABI, and names the input', () => {
    const event = eventOf(transferAbi[0], { from: BOB, to: TOKEN, value: 7n });
    event.data.event.rawFields = JSON.stringify({ ...JSON.parse(event.data.event.rawFields ?? ''), data: '0x' });
    expect(refusal(() => decodeEvent(event, [...transferAbi])).message).toBe(
      `Event "${event.id}", value: is not a value of its type: the data ends before it. The log in rawFields does not match the ABI.`,
    );
  });

  it.each([
    ['no array', {}, /must be an array/],
    ['text', ['event Transfer(address from)'], /through parseAbi/],
    ['an invalid type', [{ type: 'event', name: 'Transfer', inputs: [{ type: 'uint7' }] }], /uint7/],
    ['one name twice', parseAbi(['event Transfer(uint256 a, uint256 a)'] as never), /two inputs or components named a/],
  ])('refuses an ABI with %s as a ConfigError', (_, abi, message) => {
    const event = parseEventEmitted(sampleEventEmitted());
    const run = () => decodeEvent(event, abi as readonly unknown[]);
    expect(run).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
    expect(run).toThrow(message);
  });
});

describe('an ABI that is odd elsewhere', () => {
  it('decodes what it can, and says what it cannot when that comes', () => {
    const odd = { type: 'event', name: 'Odd', inputs: [{ name: 'a', type: 'fixed168x10' }] } as const;
    const bare = { type: 'event', name: 'Bare' } as const;
    const abi = [odd, bare, ...transferAbi, { type: 'function', name: 'f', inputs: [{ type: 'Lib.map storage' }] }];
    expect(decodeEvent(parseEventEmitted(sampleEventEmitted()), abi).eventName).toBe('Transfer');
    const event = eventOf(parseAbi(['event Odd(uint256 a)'])[0], { a: 1n });
    expect(() => decodeEvent(event, abi)).toThrow(/fixed168x10/);
    expect(() => contractEvent({ abi, name: 'Odd' })).toThrow(/fixed168x10/);
  });
});
