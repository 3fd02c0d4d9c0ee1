import type {
  ContractInfo,
  EventEmitted,
  EventTransaction,
  TransactionIncluded,
  WebhookEvent,
} from '../events/types.js';
import { checksumAddress } from '../evm/checksum.js';
import { type Block, hexOf, type Log, type PlacedLog, readTransaction, type Transaction, txFields } from './answers.js';
import type { Contract, Watched } from './watched.js';

/** A block with the data needed to write its events. */
export interface BlockContents {
  readonly block: Block;
  readonly logs: readonly PlacedLog[];
  /** Whether it is proven that there are no other logs. */
  readonly isProven: boolean;
  /** Whether the transactions of watched wallets failed, by position in the block. */
  readonly failed: ReadonlyMap<number, boolean | undefined>;
}

/** Called for a log that does not match an event of its contract's ABI. */
export type OnUnknown = (contract: ContractInfo, log: Log) => void;

/**
 * The events of a block as the live service writes them. For each transaction, in order: the events of its logs as one
 * group, then its `transaction.included` if a watched wallet sent it.
 */
export function eventsOf(
  contents: Omit<BlockContents, 'isProven'>,
  watched: Watched,
  onUnknown: OnUnknown,
): WebhookEvent[][] {
  const { block, logs, failed } = contents;
  const groups = new Map<string, { place: number; position: number | undefined; logs: PlacedLog[] }>();
  for (const log of logs) {
    const group = groups.get(log.transactionHash);
    if (group) group.logs.push(log);
    else groups.set(log.transactionHash, { ...log, logs: [log] });
  }
  for (const position of failed.keys()) {
    const { hash } = readTransaction(block, position);
    if (!groups.has(hash)) groups.set(hash, { place: position, position, logs: [] });
  }
  const events: WebhookEvent[][] = [];
  for (const { position, logs } of [...groups.values()].sort((a, b) => a.place - b.place)) {
    const transaction = position === undefined ? undefined : readTransaction(block, position);
    const emitted = logs.flatMap((log) => {
      const contract = watched.contracts.get(log.address) as Contract;
      const event = emittedOf(contract, block, log, transaction, watched);
      if (!event) onUnknown(contract.wire, log);
      return event ?? [];
    });
    if (emitted.length > 0) events.push(emitted);
    if (transaction && failed.has(transaction.index))
      events.push([includedOf(block, transaction, failed.get(transaction.index))]);
  }
  return events;
}

/** The notices that logs were removed, last log first, each with a new id. Inclusions have no such notice. */
export function removalsOf(events: readonly WebhookEvent[][]): EventEmitted[][] {
  const emitted = events.map((group) => group.filter((event) => event.event === 'event.emitted'));
  const groups = emitted.filter(({ length }) => length > 0).reverse();
  return groups.map((group) => group.reverse().map(removalOf));
}

function removalOf({ data, ...rest }: EventEmitted): EventEmitted {
  const rawFields = data.event.rawFields?.replace(/"removed":false}$/, '"removed":true}');
  return { ...rest, id: crypto.randomUUID(), data: { ...data, event: { ...data.event, rawFields } } };
}

function emittedOf(
  contract: Contract,
  block: Block,
  log: PlacedLog,
  transaction: Transaction | undefined,
  watched: Watched,
): EventEmitted | undefined {
  const emitted = contract.abi.emitted(log);
  if (!emitted) return undefined;
  return {
    id: crypto.randomUUID(),
    event: 'event.emitted',
    data: {
      triggeredAt: `${secondOf(block)}Z`,
      event: {
        ...emitted,
        rawFields: rawFields(block, log),
        contract: { ...contract.wire },
        indexInLog: log.logIndex,
      },
      ...(transaction && { transaction: wireTransaction(block, transaction, indexOf(block, log), watched) }),
    },
  };
}

/** The log as JSON text, with keys in the order of the live service. */
function rawFields(block: Block, log: PlacedLog): string {
  const { address, topics, data, transactionHash, blockTimestamp } = log;
  return JSON.stringify({
    address,
    topics,
    data,
    blockNumber: hexOf(block.number),
    transactionHash,
    transactionIndex: hexOf(indexOf(block, log)),
    blockHash: block.hash,
    blockTimestamp,
    logIndex: hexOf(log.logIndex),
    removed: false,
  });
}

/** The node's index, or the position in the block; for a log without a transaction, the index after the last one. */
function indexOf({ transactions }: Block, { transactionIndex, position }: PlacedLog): number {
  return transactionIndex ?? position ?? transactions.length;
}

function wireTransaction(
  block: Block,
  { hash, from, to, input }: Transaction,
  index: number,
  watched: Watched,
): EventTransaction {
  const called = to === null ? undefined : watched.contracts.get(to);
  return {
    from: from && checksumAddress(from.slice(2)),
    txData: input,
    txHash: hash,
    txIndexInBlock: index,
    blockHash: block.hash,
    blockNumber: block.number,
    contract: called ? { ...called.wire } : null,
    method: (input && called?.abi.called(input)) ?? null,
  };
}

function includedOf(block: Block, transaction: Transaction, failed: boolean | undefined): TransactionIncluded {
  // Nodes have no other time for the transaction.
  const time = `${secondOf(block)}.000000Z`;
  return {
    id: crypto.randomUUID(),
    event: 'transaction.included',
    data: {
      tx: txFields(block, transaction),
      status: 'included',
      from: transaction.from as string,
      ...(failed !== undefined && { failed }),
      blockNumber: block.number,
      blockHash: block.hash,
      resubmissionAttempts: 0,
      successfulResubmissions: 0,
      createdAt: time,
      updatedAt: time,
    },
  };
}

/** The block's time in RFC 3339, without its zone. */
function secondOf({ timestamp }: Block): string {
  return new Date(1000 * timestamp).toISOString().slice(0, 19);
}
