import type { EventEmitted, WebhookEvent } from '../events/types.js';
import { optionError } from '../internal/check-options.js';
import { isRecord } from '../internal/guards.js';
import { DecodeError } from './decode-error.js';
import { isHash, WireFields } from './hex.js';
import type { RawLog } from './types.js';

const MOST_TOPICS = 4;

/** Parsed logs, so that each event is parsed once. */
const parsed = new WeakMap<EventEmitted, { readonly text: string; readonly log: RawLog }>();

/**
 * Returns the log of an event as the node sent it: the JSON text in `data.event.rawFields` (spec section 2.2), parsed and
 * checked, in the shape of a viem `Log`. All hex text is returned in lower case, and quantities may be JSON numbers. It does
 * not compare the log with the rest of the event: `decodeEvent` does.
 *
 * A `blockTimestamp` that cannot be read is left out; a `transactionIndex` that cannot be read is the `txIndexInBlock` of
 * `data.transaction`.
 *
 * @example
 * ```ts
 * import { parseEventEmitted } from 'event-webhook-receiver';
 * import { rawLog } from 'event-webhook-receiver/evm';
 * import { sampleEventEmitted } from 'event-webhook-receiver/testing';
 *
 * const log = rawLog(parseEventEmitted(sampleEventEmitted()));
 * console.log(log?.blockNumber, log?.removed); // 16n false
 * ```
 * @param event An event from a receiver or a parser.
 * @returns The log, the same frozen object for each call with an event; `undefined` when the event has no `rawFields`.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is not the JSON text of a mined log.
 */
export function rawLog(event: EventEmitted): RawLog | undefined {
  const text = event.data.event.rawFields;
  if (text == null) return undefined;
  const known = parsed.get(event);
  if (known?.text === text) return known.log;
  const log = parseLog(event, text);
  parsed.set(event, { text, log });
  return log;
}

/**
 * Returns whether the event is a notice that a re-org removed its log from the chain. An event without `rawFields`
 * counts as not removed, because only the log contains this flag.
 *
 * @example
 * ```ts
 * import type { EventEmitted } from 'event-webhook-receiver';
 * import { isRemoved } from 'event-webhook-receiver/evm';
 *
 * export const sign = (event: EventEmitted) => (isRemoved(event) ? -1n : 1n);
 * ```
 * @param event An event from a receiver or a parser.
 * @returns `true` for a removed log.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is not the JSON text of a mined log.
 */
export function isRemoved(event: EventEmitted): boolean {
  return rawLog(event)?.removed ?? false;
}

function parseLog(event: EventEmitted, text: string): RawLog {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
  }
  if (!isRecord(fields)) return fail(event, 'rawFields', 'JSON text of an object');
  const read = new WireFields(fields, (key, expected) => fail(event, `rawFields.${key}`, expected));
  const blockTimestamp = read.unneeded('blockTimestamp', read.quantity);
  const transactionIndex = read.unneeded('transactionIndex', read.position) ?? event.data.transaction?.txIndexInBlock;
  // All callers get the same object.
  return Object.freeze({
    address: read.address('address'),
    topics: topicsOf(event, fields.topics),
    data: read.bytes('data'),
    blockNumber: read.quantity('blockNumber'),
    transactionHash: read.hash('transactionHash'),
    transactionIndex: transactionIndex ?? read.position('transactionIndex'),
    blockHash: read.hash('blockHash'),
    logIndex: read.position('logIndex'),
    removed: typeof fields.removed === 'boolean' ? fields.removed : fail(event, 'rawFields.removed', 'true or false'),
    // Some nodes omit it.
    ...(blockTimestamp === undefined ? undefined : { blockTimestamp }),
  });
}

function topicsOf(event: EventEmitted, topics: unknown): RawLog['topics'] {
  if (!Array.isArray(topics) || topics.length > MOST_TOPICS || !topics.every(isHash)) {
    return fail(event, 'rawFields.topics', `an array of at most ${MOST_TOPICS} topics: 0x and 64 hex digits each`);
  }
  return Object.freeze(topics.map((topic) => topic.toLowerCase())) as unknown as RawLog['topics'];
}

function fail(event: EventEmitted, input: string, expected: string): never {
  const reason = `is not ${expected}, so the log cannot be read. Report it to the service.`;
  throw new DecodeError('ERR_WEBHOOK_RAW_FIELDS', event, input, reason);
}

/**
 * Returns an idempotency key made of the log's place on the chain: `chainId:blockHash:transactionHash:logIndex`, with
 * `:removed` appended for the notice that a re-org removed the log. A log that arrives again under another event id has
 * the same key; a transaction that a re-org moved to another block has another. It does not check the log against the
 * rest of the event.
 *
 * Block, transaction and position come from `rawFields`, or without it from `data.transaction` and `indexInLog`. The key
 * of a `transaction.included` is `chainId:blockHash:transactionHash`, or its event id if it lacks one of the hashes.
 *
 * @example
 * ```ts
 * import { createReceiver } from 'event-webhook-receiver';
 * import { logIdentity } from 'event-webhook-receiver/evm';
 *
 * const receiver = createReceiver({
 *   secret: process.env.WEBHOOK_SECRET ?? '',
 *   idempotencyKey: (event) => logIdentity(event, { chainId: 1 }),
 *   onEvent: (event) => console.log(event.id),
 * });
 * ```
 * @param event An event of either kind, from a receiver or a parser.
 * @param options.chainId Chain ID above 0. Events do not contain it; a deployment of the service serves one chain.
 * @returns The key.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is malformed, or when both it and the hashes in
 * `data.transaction` are absent; ConfigError `ERR_WEBHOOK_CONFIG` when `chainId` is invalid.
 */
export function logIdentity(event: WebhookEvent, options: { readonly chainId: number | bigint }): string {
  // Checked at each call, because a changed chain ID would change every key.
  const { chainId } = options ?? {};
  if (!(typeof chainId === 'bigint' || Number.isSafeInteger(chainId)) || chainId <= 0) {
    throw optionError('chainId', 'an integer above 0, such as 1 for Ethereum', chainId);
  }
  if (event.event !== 'event.emitted') {
    const { blockHash, tx } = event.data;
    const hash: unknown = tx?.hash;
    return isHash(blockHash) && isHash(hash) ? `${chainId}:${blockHash}:${hash}`.toLowerCase() : event.id;
  }
  const log = rawLog(event);
  if (log) {
    const identity = `${chainId}:${log.blockHash}:${log.transactionHash}:${log.logIndex}`;
    return log.removed ? `${identity}:removed` : identity;
  }
  const { transaction } = event.data;
  if (!transaction || !isHash(transaction.blockHash) || !isHash(transaction.txHash)) {
    throw new DecodeError(
      'ERR_WEBHOOK_RAW_FIELDS',
      event,
      'rawFields',
      'is absent, and data.transaction has no hashes to identify the log. Use event.id as the key of such events.',
    );
  }
  const hashes = `${transaction.blockHash}:${transaction.txHash}`.toLowerCase();
  return `${chainId}:${hashes}:${event.data.event.indexInLog}`;
}
