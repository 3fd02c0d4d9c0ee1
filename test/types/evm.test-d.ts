import { erc20Abi, type Log, parseEventLogs } from 'viem';
import { describe, expectTypeOf, test } from 'vitest';
import {
  contractEvent,
  type DecodedCall,
  type DecodedEvent,
  type DecodedTransaction,
  decodeEvent,
  decodeTransaction,
  type Hex,
  isRemoved,
  logIdentity,
  type MatchedEvent,
  type RawLog,
  rawLog,
} from '../../src/evm/index.js';
import {
  createReceiver,
  createRouter,
  type EventContext,
  type EventEmitted,
  type TransactionIncluded,
  type WebhookEvent,
} from '../../src/index.js';
import type { Transaction } from './transaction.js';

declare const event: EventEmitted;
declare const included: TransactionIncluded;
declare const unset: string | undefined;
declare const artifact: { readonly abi: typeof erc20Abi };

const own = [
  { type: 'event', name: 'Opened', inputs: [{ name: 'note', type: 'string', indexed: true }] },
  { type: 'event', name: 'Closed', inputs: [] },
  { type: 'function', name: 'close', stateMutability: 'nonpayable', inputs: [], outputs: [] },
] as const;

type TransferArgs = { from: Hex; to: Hex; value: bigint };

describe('decodeEvent', () => {
  test('gives the events of the ABI, told apart by their names', () => {
    const decoded = decodeEvent(event, erc20Abi);
    expectTypeOf(decoded).toEqualTypeOf<DecodedEvent<typeof erc20Abi>>();
    expectTypeOf(decoded.log).toEqualTypeOf<RawLog | undefined>();
    if (decoded.eventName === 'Transfer') expectTypeOf(decoded.args).toEqualTypeOf<TransferArgs>();
    else expectTypeOf(decoded.args).toEqualTypeOf<{ owner: Hex; spender: Hex; value: bigint }>();
  });

  test('knows an ABI that is written in place, without as const', () => {
    const decoded = decodeEvent(event, [
      { type: 'event', name: 'Opened', inputs: [{ name: 'at', type: 'uint48' }, { type: 'bytes4' }] },
    ]);
    expectTypeOf(decoded.eventName).toEqualTypeOf<'Opened'>();
    expectTypeOf(decoded.args).toEqualTypeOf<readonly [number, Hex]>();
  });

  test('takes no misspelt option, no artifact around the ABI, and no event of the other kind', () => {
    // @ts-expect-error no such option
    decodeEvent(event, own, { requiredLog: true });
    // @ts-expect-error the ABI is inside it
    decodeEvent(event, artifact);
    // @ts-expect-error an ABI is required
    decodeEvent(event);
    // @ts-expect-error a transaction emits events, and is none
    decodeEvent(included, own);
    // @ts-expect-error the ABI has no such event
    decodeEvent(event, own).eventName === 'Transfer';
    // @ts-expect-error an event whose name is not looked at
    decodeEvent(event, own).args.note;
  });
});

describe('contractEvent', () => {
  test('gives a handler the arguments, the log and the event', () => {
    createRouter<Transaction>()
      .on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args, log, event, eventName }, context) => {
        expectTypeOf(eventName).toEqualTypeOf<'Transfer'>();
        expectTypeOf(args).toEqualTypeOf<TransferArgs>();
        expectTypeOf(log).toEqualTypeOf<RawLog | undefined>();
        expectTypeOf(event).toEqualTypeOf<EventEmitted>();
        expectTypeOf(context).toEqualTypeOf<EventContext<Transaction>>();
        return context.tx.query('UPDATE balances …', [args.to, args.value]);
      })
      .on(contractEvent({ abi: own, name: 'Opened', requireLog: true }), ({ args, log }) => {
        expectTypeOf(args).toEqualTypeOf<{ note: Hex }>();
        expectTypeOf(log).toEqualTypeOf<RawLog>();
      });
    createRouter().on(contractEvent({ abi: own, name: 'Closed', address: '0x', removed: true }), ({ args }, { tx }) => {
      expectTypeOf(args).toEqualTypeOf<undefined>();
      expectTypeOf(tx).toEqualTypeOf<undefined>();
    });
  });

  test('has a type for a handler that is declared elsewhere', () => {
    expectTypeOf<MatchedEvent<typeof own, 'Opened', true>>().toEqualTypeOf<{
      readonly eventName: 'Opened';
      readonly args: { note: Hex };
      readonly log: RawLog;
      readonly event: EventEmitted;
    }>();
    const handler = async (
      { args, event }: MatchedEvent<typeof erc20Abi, 'Transfer'>,
      { tx }: EventContext<Transaction>,
    ) => tx.query('INSERT …', [event.id, args.value]);
    createRouter<Transaction>().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), handler);
    createRouter<Transaction>().on(contractEvent({ abi: erc20Abi, name: 'Transfer', requireLog: true }), handler);
    // @ts-expect-error another event
    createRouter<Transaction>().on(contractEvent({ abi: erc20Abi, name: 'Approval' }), handler);
    // @ts-expect-error a router whose handlers are promised no transaction
    createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), handler);
  });

  test('takes no name, argument or option that there is not', () => {
    // @ts-expect-error no such event
    contractEvent({ abi: erc20Abi, name: 'Transferred' });
    // @ts-expect-error the name of a function
    contractEvent({ abi: own, name: 'close' });
    // @ts-expect-error a name is written without types
    contractEvent({ abi: own, name: 'Closed()' });
    // @ts-expect-error an ABI without events
    contractEvent({ abi: [own[2]], name: 'Closed' });
    // @ts-expect-error a name is required
    contractEvent({ abi: own });
    // @ts-expect-error no such option
    contractEvent({ abi: own, name: 'Closed', adress: '0x' });
    // @ts-expect-error an environment variable may be unset, and would match every contract
    contractEvent({ abi: own, name: 'Closed', address: unset });
    // @ts-expect-error no such argument
    createRouter().on(contractEvent({ abi: erc20Abi, name: 'Transfer' }), ({ args }) => args.amount);
    // @ts-expect-error a matcher has its own filter
    createRouter().on(contractEvent({ abi: own, name: 'Closed' }), { address: '0x' }, () => {});
  });
});

test('decodeTransaction gives the quantities, and the call with its arguments', () => {
  const { call, ...rest } = decodeTransaction(included, erc20Abi);
  expectTypeOf(call).toEqualTypeOf<DecodedCall<typeof erc20Abi> | undefined>();
  expectTypeOf({ call, ...rest }).toExtend<DecodedTransaction<typeof erc20Abi>>();
  if (call?.functionName === 'transfer') expectTypeOf(call.args).toEqualTypeOf<readonly [Hex, bigint]>();
  if (call?.functionName === 'totalSupply') expectTypeOf(call.args).toEqualTypeOf<undefined>();
  expectTypeOf(rest.value).toEqualTypeOf<bigint | null | undefined>();
  expectTypeOf(rest.to).toEqualTypeOf<Hex | null | undefined>();
  expectTypeOf(rest.failed).toEqualTypeOf<boolean | undefined>();
  expectTypeOf(rest.blockNumber).toEqualTypeOf<bigint | undefined>();
  // @ts-expect-error no such function
  call?.functionName === 'transferTo';
});

describe('rawLog, isRemoved and logIdentity', () => {
  test('give a log that viem takes', () => {
    const log = rawLog(event);
    expectTypeOf(log).toEqualTypeOf<RawLog | undefined>();
    expectTypeOf<RawLog>().toExtend<Log<bigint, number, false>>();
    if (log) parseEventLogs({ abi: erc20Abi, logs: [log], eventName: 'Transfer' });
    expectTypeOf(isRemoved).toEqualTypeOf<(event: EventEmitted) => boolean>();
  });

  test('give a key for events of either kind', () => {
    expectTypeOf(logIdentity).parameters.toEqualTypeOf<[WebhookEvent, { readonly chainId: number | bigint }]>();
    createReceiver({ secret: 's', idempotencyKey: (each) => logIdentity(each, { chainId: 1n }), onEvent: () => {} });
    // @ts-expect-error the chain is required: an event does not name it
    logIdentity(event);
  });
});
