import type { EventEmitted } from '../events/types.js';
import { type EventItem, eventItems } from './abi-items.js';
import { chooseItem } from './choose-event.js';
import { recordOf } from './codec-of.js';
import { DecodeError } from './decode-error.js';
import { decodeValues } from './decode-values.js';
import { checkAgreement, decodeInputs } from './inputs.js';
import { rawLog } from './raw-log.js';
import type { DecodedEvent, EventNames, RawLog } from './types.js';

/**
 * Decodes a log by an event of an ABI into its arguments, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_DECODE` when topics or data do not hold them.
 */
export function decodeLog(
  event: { readonly id: string },
  item: EventItem,
  log: Pick<RawLog, 'topics' | 'data'>,
): unknown[] {
  const fail = (input: string, reason: string) =>
    new DecodeError('ERR_WEBHOOK_DECODE', event, input, `${reason} The log in rawFields is not what the ABI says.`);
  let topic = item.isAnonymous ? 0 : 1;
  const topicOf = item.inputs.map(({ isIndexed }) => (isIndexed ? log.topics[topic++] : undefined));
  // Each of these is one word, so that their topics in a row are their encoding.
  const words = item.inputs.map(({ isHashed }, at) => (isHashed ? '' : (topicOf[at]?.slice(2) ?? '')));
  const fromTopics = decodeValues(item.inTopics, `0x${words.join('')}`, fail);
  const fromData = decodeValues(item.inData, log.data, fail);
  let [inTopics, inData] = [0, 0];
  return item.inputs.map(({ isHashed, isIndexed }, at) => {
    if (isHashed) return topicOf[at];
    return isIndexed ? fromTopics[inTopics++] : fromData[inData++];
  });
}

/** What `decodeEvent` and `contractEvent` can be told. */
export interface DecodeOptions<RequireLog extends boolean = boolean> {
  /**
   * Refuses an event without `rawFields`. An amount that was converted without a remainder (`"5"` for 5000000) looks
   * like an exact one in the inputs, and the log alone tells. (Default: false.)
   */
  readonly requireLog?: RequireLog | undefined;
}

/**
 * Decodes an `event.emitted` (spec section 2.2) by the ABI of its contract into exact, typed arguments.
 *
 * They come from the log in `rawFields`. Inputs, name, signature, contract and transaction hash beside it are held against
 * it; an event without it is read from its inputs, and `log` is then undefined. It does not look whether a re-org removed the log
 * (`log.removed`), nor whether the contract is one that you trust: `contractEvent` does both.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { parseEventEmitted } from 'event-webhook-receiver';
 * import { decodeEvent } from 'event-webhook-receiver/evm';
 * import { sampleEventEmitted } from 'event-webhook-receiver/testing';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 * const { eventName, args } = decodeEvent(parseEventEmitted(sampleEventEmitted()), abi);
 * console.log(eventName, args.to, args.value); // Transfer 0x7099… 1000000000000000000n
 * ```
 * @param event A checked event, of a receiver or a parser.
 * @param abi The contract's ABI, `as const` for its types. It is read once, so keep one object and do not change it.
 * @returns Name, arguments and log. The arguments have the forms of viem's `decodeEventLog`: an object, an array when an
 * input has no name, undefined when there are none; a hash for an indexed string, bytes, array or struct.
 * @throws DecodeError with its codes; ConfigError `ERR_WEBHOOK_CONFIG` when the ABI is none.
 */
export function decodeEvent<const Abi extends readonly unknown[], RequireLog extends boolean = false>(
  event: EventEmitted,
  abi: Abi,
  options?: DecodeOptions<RequireLog>,
): DecodedEvent<Abi, EventNames<Abi>, RequireLog> {
  const items = eventItems(abi);
  const log = rawLog(event);
  return decodeAs(event, chooseItem(event, items, log), log, options?.requireLog) as never;
}

/** Decodes an event as one of an ABI that has been chosen. */
export function decodeAs(event: EventEmitted, item: EventItem, log: RawLog | undefined, requireLog = false) {
  if (log === undefined && requireLog) {
    throw new DecodeError(
      'ERR_WEBHOOK_RAW_FIELDS',
      event,
      'rawFields',
      'is absent, and requireLog asks for it. Have the service send it.',
    );
  }
  const values = log ? decodeLog(event, item, log) : decodeInputs(event, item);
  if (log) checkAgreement(event, item, log, values);
  return { eventName: item.name, args: argsOf(item, values), log };
}

function argsOf({ isNamed, inputs }: EventItem, values: unknown[]): unknown {
  if (inputs.length === 0) return undefined;
  return isNamed
    ? recordOf(
        inputs.map(({ name }) => name),
        values,
      )
    : values;
}
