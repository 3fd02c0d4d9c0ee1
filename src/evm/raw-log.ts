import { ConfigError } from '../errors.js';
import type { EventEmitted, WebhookEvent } from '../events/types.js';
import { isRecord } from '../internal/guards.js';
import { DecodeError } from './decode-error.js';
import { isHash, WireFields } from './hex.js';
import type { RawLog } from './types.js';

const MOST_TOPICS = 4;

/** What was made of a text, so that it is parsed once for each event. */
const parsed = new WeakMap<EventEmitted, { readonly text: string; readonly log: RawLog }>();

/**
 * Gives the log of an event as the chain's node gave it: the JSON text in `data.event.rawFields` (spec section 2.2),
 * parsed and checked when it is first asked for, in the shape of a viem `Log`. All hex text in it is lower case.
 *
 * It does not hold the log against the rest of the event: {@link decodeEvent} does.
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
 * @returns The log, always the same object for the same event; undefined when the event has no `rawFields`.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is not the JSON text of a log that is in a block.
 */
export function rawLog(event: EventEmitted): RawLog | undefined {
  const text = event.data.event.rawFields;
  if (text === undefined) return undefined;
  const known = parsed.get(event);
  if (known?.text === text) return known.log;
  const log = parseLog(event, text);
  parsed.set(event, { text, log });
  return log;
}

/**
 * Whether a re-org took the log of an event out of the chain: what the event said has not happened. An event without
 * `rawFields` does not tell, and counts as one that stands.
 *
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is not the JSON text of a log that is in a block.
 */
export function isRemoved(event: EventEmitted): boolean {
  return rawLog(event)?.removed ?? false;
}

function parseLog(event: EventEmitted, text: string): RawLog {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
  }
  if (!isRecord(fields)) return fail(event, 'rawFields', 'JSON text of an object');
  const read = new WireFields(fields, (key, expected) => fail(event, `rawFields.${key}`, expected));
  const blockTimestamp = read.optional('blockTimestamp', read.quantity);
  // It is the same object for whoever asks.
  return Object.freeze({
    address: read.address('address'),
    topics: topicsOf(event, fields.topics),
    data: read.bytes('data'),
    blockNumber: read.quantity('blockNumber'),
    transactionHash: read.hash('transactionHash'),
    transactionIndex: read.position('transactionIndex'),
    blockHash: read.hash('blockHash'),
    logIndex: read.position('logIndex'),
    removed: typeof fields.removed === 'boolean' ? fields.removed : fail(event, 'rawFields.removed', 'true or false'),
    // Not every node tells it.
    ...(blockTimestamp == null ? undefined : { blockTimestamp }),
  });
}

function topicsOf(event: EventEmitted, topics: unknown): RawLog['topics'] {
  if (!Array.isArray(topics) || topics.length > MOST_TOPICS || !topics.every(isHash)) {
    return fail(event, 'rawFields.topics', `an array of at most ${MOST_TOPICS} topics: 0x and 64 hex digits each`);
  }
  return Object.freeze(topics.map((topic) => topic.toLowerCase())) as unknown as RawLog['topics'];
}

function fail(event: EventEmitted, input: string, expected: string): never {
  const reason = `is not ${expected}, so no log can be read. Report it to the service.`;
  throw new DecodeError('ERR_WEBHOOK_RAW_FIELDS', event, input, reason);
}

/**
 * Names the log of an event by what it is on the chain: `chainId:blockHash:transactionHash:logIndex`, and `:removed`
 * behind that for the notice that a re-org took the log back, which is an event of its own. It is a ready
 * `idempotencyKey`: a log that comes again, under whatever event id, has the same one; a transaction that a re-org put
 * into another block has another.
 *
 * Block, transaction and position come from `rawFields`, and without it from `data.transaction` and `indexInLog`. A
 * `transaction.included` has no log and gets its event id.
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
 * @param options.chainId The chain, which an event does not name: a deployment of the service has one.
 * @throws DecodeError `ERR_WEBHOOK_RAW_FIELDS` when `rawFields` is malformed, or is absent beside an event that does not
 * say its block and transaction elsewhere; ConfigError `ERR_WEBHOOK_CONFIG` when the chain id is none.
 */
export function logIdentity(event: WebhookEvent, options: { readonly chainId: number | bigint }): string {
  const { chainId } = options;
  // A variable that is not set would change every key on the day that it is.
  if (!(typeof chainId === 'bigint' || Number.isSafeInteger(chainId)) || chainId <= 0) {
    throw new ConfigError('logIdentity needs a chainId above 0, such as 1 for Ethereum.');
  }
  if (event.event !== 'event.emitted') return event.id;
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
      'is absent, and no data.transaction with hashes is there instead, so nothing names the log. Use event.id for such events.',
    );
  }
  const hashes = `${transaction.blockHash}:${transaction.txHash}`.toLowerCase();
  return `${chainId}:${hashes}:${event.data.event.indexInLog}`;
}
