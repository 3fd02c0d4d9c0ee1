import { erc20Abi, erc721Abi, parseAbi } from 'viem';
import { describe, expect, it } from 'vitest';
import { contractEvent, DecodeError } from '../../src/evm/index.js';
import {
  createReceiver,
  createRouter,
  type EventEmitted,
  type EventMatcher,
  type Router,
  signDelivery,
  type WebhookError,
} from '../../src/index.js';
import type { ErrorContext } from '../../src/receive/request.js';
import { BOB, eventOf, TOKEN, word } from './events.js';

const [transfer, overload] = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 value, bytes data)',
]);
const STRANGER = '0x00000000000000000000000000000000000000aB';
const genuine = (value = 7n) => eventOf(transfer, { from: BOB, to: TOKEN, value });

type Spoil = (event: EventEmitted, log: Record<string, unknown>) => unknown;
/** What a stranger's contract, or the service on its behalf, may make of an event of a known name and signature. */
const spoils: readonly (readonly [name: string, code: string, spoil: Spoil])[] = [
  [
    'a topic that is not an address',
    'ERR_WEBHOOK_DECODE',
    (_, log) => ({ ...log, topics: [(log.topics as string[])[0], word(2n ** 255n), word(1)] }),
  ],
  ['another first topic', 'ERR_WEBHOOK_ABI_MISMATCH', (_, log) => ({ ...log, topics: [word(1), word(2), word(3)] })],
  [
    'inputs that say something else',
    'ERR_WEBHOOK_CONTRADICTION',
    (event, log) => {
      Object.assign(event.data.event.inputs[0] ?? {}, { value: STRANGER });
      return log;
    },
  ],
  ['rawFields that are not JSON', 'ERR_WEBHOOK_RAW_FIELDS', () => undefined],
  [
    'inputs of another type, and no log',
    'ERR_WEBHOOK_INPUT_VALUE',
    (event) => {
      Object.assign(event.data.event.inputs[2] ?? {}, { value: 'lots' });
      return 'none';
    },
  ],
];

function spoilt(spoil: Spoil, event = genuine()): EventEmitted {
  const fields = spoil(event, JSON.parse(event.data.event.rawFields ?? ''));
  if (fields === 'none') delete event.data.event.rawFields;
  else event.data.event.rawFields = JSON.stringify(fields) ?? '{"';
  return event;
}

/** Delivers events to a router in a receiver; gives the answer and what `onError` was told. */
async function deliver(router: Router, events: readonly unknown[]) {
  const told: { error: WebhookError; context: ErrorContext }[] = [];
  const receiver = createReceiver({
    secret: 's',
    toleranceSeconds: false,
    onEvent: router.dispatch,
    onError: (error, context) => told.push({ error, context }),
  });
  const { rawBody: body, signature, timestamp } = signDelivery(JSON.stringify(events), { secret: 's' });
  const result = await receiver.handle({ rawBody: body, signature, timestamp });
  return { ...result, told };
}

const never = () => expect.unreachable('nothing was to be selected');

describe('an event that does not decode', () => {
  describe.each(spoils)('as it has %s', (_, code, spoil) => {
    it('goes to otherwise without an address, is reported once, and its delivery is 200', async () => {
      const seen: string[] = [];
      const bad = spoilt(spoil);
      const router = createRouter()
        .on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args }) => seen.push(String(args.value)))
        .otherwise((event) => seen.push(event.id));
      const { status, outcomes, told } = await deliver(router, [genuine(1n), bad, genuine(3n)]);
      expect(status).toBe(200);
      expect(outcomes.map((outcome) => outcome.status)).toEqual(['handled', 'handled', 'handled']);
      expect(seen).toEqual(['1', bad.id, '3']);
      expect(told).toHaveLength(1);
      expect(told[0]?.error).toMatchObject({ name: 'DecodeError', code, eventId: bad.id });
      expect(told[0]?.context).toMatchObject({ item: { status: 'event', event: { id: bad.id } } });
      expect(told[0]?.context.idempotencyKey).toContain(bad.id);
    });

    it('fails with an address, alone', async () => {
      const bad = spoilt(spoil);
      const router = createRouter()
        .on(contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN }), () => {})
        .otherwise(never);
      const { status, outcomes } = await deliver(router, [genuine(1n), bad, genuine(3n)]);
      expect(status).toBe(500);
      expect(outcomes.map((outcome) => outcome.status)).toEqual(['handled', 'failed', 'handled']);
      expect(outcomes[1]?.error?.cause).toMatchObject({ code, eventId: bad.id });
    });

    it('of another contract does not match a route with an address', async () => {
      const bad = spoilt(spoil);
      bad.data.event.contract.address = BOB;
      const seen: unknown[] = [];
      const router = createRouter()
        .on(contractEvent({ abi: erc20Abi, name: 'Transfer', address: TOKEN }), never)
        .on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), never)
        .on('event.emitted', ({ id }) => seen.push(id));
      const { status, told } = await deliver(router, [bad]);
      expect({ status, seen, told: told.length }).toEqual({ status: 200, seen: [bad.id], told: 1 });
    });
  });

  it('is tried by every matcher of its name, and the plain handler of the name gets it', async () => {
    const seen: string[] = [];
    const bad = spoilt((_, log) => ({ ...log, data: '0x' }));
    const router = createRouter()
      .on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), never)
      .on(contractEvent({ abi: erc20Abi, name: 'Transfer', removed: true }), never)
      .on(contractEvent({ abi: erc721Abi, name: 'Transfer' }), never)
      .on(contractEvent({ abi: [transfer, overload], name: 'Transfer' }), never)
      .on('event.emitted', { name: 'Transfer' }, ({ id }) => seen.push(id));
    const { status, told } = await deliver(router, [bad]);
    expect({ status, seen }).toEqual({ status: 200, seen: [bad.id] });
    expect(new Set(told.map(({ error }) => error.message)).size).toBe(told.length);
    expect(told.every(({ error }) => error instanceof DecodeError)).toBe(true);
  });

  it('in one ABI is decoded by the next that it fits', async () => {
    const [other] = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 amount)']);
    const event = genuine(5n);
    for (const input of event.data.event.inputs) if (input.name === 'value') input.name = 'amount';
    delete event.data.event.rawFields;
    const seen: unknown[] = [];
    const router = createRouter()
      .on(contractEvent({ abi: [transfer, overload], name: 'Transfer', requireLog: true }), never)
      .on(contractEvent({ abi: [other], name: 'Transfer' }), ({ args }) => seen.push(args.amount));
    expect(await deliver(router, [event])).toMatchObject({ status: 200 });
    expect(seen).toEqual([5n]);
  });

  it('as it lacks the log that is required is reported too', async () => {
    const event = genuine();
    delete event.data.event.rawFields;
    const router = createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer', requireLog: true }), never);
    const { status, told } = await deliver(router, [event]);
    expect({ status, codes: told.map(({ error }) => error.code) }).toEqual({
      status: 200,
      codes: ['ERR_WEBHOOK_RAW_FIELDS'],
    });
  });

  it('needs no context that can report, and none that works', () => {
    const { dispatch } = createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), never);
    const throwing = new Proxy({}, { get: () => never() });
    for (const context of [undefined, null, {}, throwing]) {
      expect(
        dispatch(
          spoilt(() => ({})),
          context as never,
        ),
      ).toBeUndefined();
    }
  });
});

describe("a matcher of one's own", () => {
  const throwing = (error: unknown): EventMatcher<never> => ({
    filter: { name: 'Transfer' },
    select: () => {
      throw error;
    },
  });

  it.each([
    ['an error', new Error('mine')],
    ['a DecodeError', new DecodeError('ERR_WEBHOOK_DECODE', { id: 'x' }, 'value', 'is bad.')],
    ['undefined', undefined],
  ])('that throws %s fails the event', async (_, error) => {
    const router = createRouter().on(throwing(error), never).otherwise(never);
    expect(await deliver(router, [genuine()])).toMatchObject({ status: 500 });
  });

  it('reports what it likes and passes', async () => {
    const error = new DecodeError('ERR_WEBHOOK_DECODE', { id: 'x' }, 'value', 'is bad.');
    const router = createRouter().on(
      {
        select: (_, report) => {
          report?.(error);
          return undefined;
        },
      },
      never,
    );
    const { status, told } = await deliver(router, [genuine()]);
    expect({ status, told: told.map((each) => each.error) }).toEqual({ status: 200, told: [error] });
  });
});
