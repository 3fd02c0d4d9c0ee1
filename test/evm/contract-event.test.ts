import { erc20Abi, erc721Abi, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractEvent, type RawLog } from '../../src/evm/index.js';
import { createRouter, type EventEmitted } from '../../src/index.js';
import { BOB, eventOf, TOKEN } from './events.js';

const [transfer] = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
const [overload] = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value, bytes data)']);
const erc20 = (value = 7n) => eventOf(transfer, { from: BOB, to: TOKEN, value });
const [nft] = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)']);
const erc721 = () => eventOf(nft, { from: BOB, to: TOKEN, tokenId: 7n });

function changed(event: EventEmitted, log: Partial<Record<keyof RawLog, unknown>>): EventEmitted {
  event.data.event.rawFields = JSON.stringify({ ...JSON.parse(event.data.event.rawFields ?? ''), ...log });
  return event;
}

describe('contractEvent', () => {
  it.each([
    [{ adress: '0x' }, '`contractEvent` has no option `adress`. Did you mean `address`?'],
    [{ address: undefined }, '`address` must be 0x and 40 hex digits, got undefined.'],
    [{ address: '0x5FbDB2315678afecb367f032d93F642f64180aa' }, '`address` must be 0x and 40 hex digits, got a string.'],
    [{ address: [TOKEN] }, '`address` must be 0x and 40 hex digits, got an array.'],
    [{ removed: 'true' }, '`removed` must be true or false, got a string.'],
    [{ requireLog: 1 }, '`requireLog` must be true or false, got a number.'],
    [{ name: 'Mint' }, 'no event Mint'],
    [{ abi: [...erc20Abi, { ...transfer, inputs: [{ type: 'uint7' }] }] }, 'uint7'],
    [{ name: undefined }, '`name` must be the name of an event, got undefined.'],
    [{ abi: {} }, '`abi` must be an array of items'],
    [{ abi: ['event Transfer()'] }, '`abi` is text. Pass it through parseAbi(...)'],
  ])('throws ConfigError for %j', (wrong, message) => {
    const run = () => contractEvent({ abi: erc20Abi, name: 'Transfer', ...wrong } as never);
    expect(run).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG' }));
    expect(run).toThrow(message);
  });

  it('gives its handler name, arguments, log and event', () => {
    const event = erc20();
    let given: unknown;
    createRouter()
      .on(contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN.toLowerCase() }), (selected) => {
        given = selected;
      })
      .dispatch(event, {} as never);
    expect(given).toMatchObject({
      eventName: 'Transfer',
      args: { from: BOB, to: TOKEN, value: 7n },
      log: { logIndex: 0 },
    });
    expect((given as { event: EventEmitted }).event).toBe(event);
  });

  it('leaves to other routes what is not its event', () => {
    const seen: string[] = [];
    const { dispatch } = createRouter()
      .on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args }) => seen.push(`erc20 ${args.value}`))
      .on(contractEvent({ abi: erc721Abi, name: 'Transfer' }), ({ args }) => seen.push(`erc721 ${args.tokenId}`))
      .on(contractEvent({ abi: [overload], name: 'Transfer' }), ({ args }) => seen.push(`overload ${args.data}`))
      .otherwise((event) => seen.push(event.event));
    const events = [
      erc20(),
      erc721(),
      eventOf(overload, { from: BOB, to: TOKEN, value: 7n, data: '0x12' }),
      eventOf(parseAbi(['event Transfer(uint256 value)'])[0], { value: 7n }),
      changed(erc20(), { removed: true }),
    ];
    for (const event of events) dispatch(event, {} as never);
    expect(seen).toEqual(['erc20 7', 'erc721 7', 'overload 0x12', 'event.emitted', 'event.emitted']);
  });

  it('takes every overload of its name', () => {
    const seen: unknown[] = [];
    const { dispatch } = createRouter().on(
      contractEvent({ abi: [transfer, overload, nft], name: 'Transfer' }),
      ({ args }) => {
        seen.push('data' in args ? args.data : 'value' in args ? args.value : args.tokenId);
      },
    );
    for (const event of [erc20(), erc721()]) dispatch(event, {} as never);
    dispatch(eventOf(overload, { from: BOB, to: TOKEN, value: 7n, data: '0x12' }), {} as never);
    expect(seen).toEqual([7n, 7n, '0x12']);
  });

  it('leaves the event of another standard to other routes, though an overload has as many topics', () => {
    const [long] = parseAbi([
      'event Transfer(address indexed from, address indexed to, uint256 indexed value, bytes data)',
    ]);
    expect(contractEvent({ abi: [transfer, long], name: 'Transfer' }).select(erc721())).toBeUndefined();
  });

  it('without a log tells standards apart by the names of inputs', () => {
    const [token, other] = [erc721(), erc20()];
    delete token.data.event.rawFields;
    delete other.data.event.rawFields;
    const matcher = contractEvent({ abi: erc20Abi, name: 'Transfer' });
    expect(matcher.select(token, () => expect.unreachable())).toBeUndefined();
    expect(matcher.select(other)?.args).toEqual({ from: BOB, to: TOKEN, value: 7n });
    const ofToken = contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN });
    expect(() => ofToken.select(token)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_INPUT_VALUE', input: 'value' }),
    );
    token.data.event.inputs = token.data.event.inputs.map((input, at) => ({ ...input, name: `arg${at}` }));
    expect(ofToken.select(token)?.args).toEqual({ from: BOB, to: TOKEN, value: 7n });
  });

  it('looks at name and address itself, for who asks it without a router', () => {
    const { select } = contractEvent({ abi: erc20Abi, name: 'Transfer', address: BOB });
    expect(select(erc20())).toBeUndefined();
    const renamed = erc20();
    renamed.data.event.name = 'Mint';
    const reported: unknown[] = [];
    const any = contractEvent({ abi: erc20Abi, name: 'Transfer' });
    expect(any.select(renamed, (error) => reported.push(error))).toBeUndefined();
    expect(reported).toEqual([]);
  });

  it('of one contract passes events of another signature to other routes, unless their log has its signature', () => {
    const { select } = contractEvent({ abi: [transfer], name: 'Transfer', address: TOKEN });
    expect(select(eventOf(parseAbi(['event Transfer(uint256 value)'])[0], { value: 7n }))).toBeUndefined();
    const event = erc20();
    event.data.event.signature = 'Transfer(uint256)';
    expect(() => select(event)).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_CONTRADICTION' }));
  });

  it('selects removed logs only with the option removed', () => {
    const seen: unknown[] = [];
    const token = { abi: erc20Abi, name: 'Transfer', address: TOKEN } as const;
    const { dispatch } = createRouter()
      .on(contractEvent(token), ({ args }) => seen.push(args.value))
      .on(contractEvent({ ...token, removed: true }), ({ args, log }) => seen.push([args.value, log?.removed]));
    dispatch(erc20(), {} as never);
    dispatch(changed(erc20(), { removed: true }), {} as never);
    const unknown = erc20();
    delete unknown.data.event.rawFields;
    dispatch(unknown, {} as never);
    expect(seen).toEqual([7n, [7n, true], 7n]);
  });

  it('fails an event of its contract whose ABI it has not, instead of acknowledging it', () => {
    const { dispatch } = createRouter().on(
      contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN }),
      () => {},
    );
    expect(() => dispatch(erc721(), {} as never)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_ABI_MISMATCH' }),
    );
  });

  it('fails an event without a log when that is required', () => {
    const matcher = contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN, requireLog: true });
    expect(matcher.select(erc20())?.log.removed).toBe(false);
    const event = erc20();
    delete event.data.event.rawFields;
    expect(() => matcher.select(event)).toThrow(expect.objectContaining({ code: 'ERR_WEBHOOK_RAW_FIELDS' }));
    expect(matcher.filter).toEqual({ name: 'Transfer', address: TOKEN.toLowerCase() });
    expect(contractEvent({ abi: erc20Abi, name: 'Transfer', requireLog: true }).select(event)).toBeUndefined();
  });

  it('passes on an error other than of decoding, also without an address', () => {
    const event = erc20();
    delete event.data.event.rawFields;
    const defect = new RangeError('a defect');
    Object.defineProperty(event.data.event.inputs[2], 'value', {
      get() {
        throw defect;
      },
    });
    const reported: unknown[] = [];
    const { select } = contractEvent({ abi: erc20Abi, name: 'Transfer' });
    expect(() => select(event, (error) => reported.push(error))).toThrow(defect);
    expect(reported).toEqual([]);
  });
});
