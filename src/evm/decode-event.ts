import type { EventEmitted } from '../events/types.js';
import { checkOptions } from '../internal/check-options.js';
import { AbiData } from './abi-data.js';
import { type AbiEventItem, abiEventItems } from './abi-items.js';
import { chooseItem } from './choose-event.js';
import { decodeValue, placeSize } from './codec.js';
import { recordOf } from './composite-codecs.js';
import { DecodeError } from './decode-error.js';
import { checkAgreement, decodeInputs } from './inputs.js';
import { rawLog } from './raw-log.js';
import type { DecodedEvent, EventNames, ParsedAbi, RawLog } from './types.js';

/**
 * Decodes the arguments of a log by an event of an ABI, in the order of the ABI.
 *
 * @param data The data of the log.
 * @throws DecodeError `ERR_WEBHOOK_DECODE` when topics or data do not match the event.
 */
export function decodeLog(
  event: { readonly id: string },
  item: AbiEventItem,
  topics: RawLog['topics'],
  data: AbiData,
): unknown[] {
  const fail = (input: string, reason: string) =>
    new DecodeError('ERR_WEBHOOK_DECODE', event, input, `${reason} The log in rawFields does not match the ABI.`);
  let topic = item.isAnonymous ? 0 : 1;
  let at = 0;
  return item.inputs.map((input) => {
    if (!input.isIndexed) {
      const value = decodeValue(input, data, at, fail);
      at += placeSize(input.codec);
      return value;
    }
    const word = topics[topic++] ?? '0x';
    return input.isHashed ? word : decodeValue(input, new AbiData(word), 0, fail);
  });
}

/** Options of `decodeEvent`, which `contractEvent` takes too. */
export interface DecodeOptions<RequireLog extends boolean = boolean> {
  /**
   * Refuses an event without `rawFields`. Its inputs may contain a converted amount that looks exact (`"5"` for
   * 5000000), which only the log can show. (Default: `false`.)
   */
  readonly requireLog?: RequireLog | undefined;
}

/**
 * Decodes an `event.emitted` (spec section 2.2) by the ABI of its contract into exact, typed arguments. It does not check
 * whether a re-org removed the log (`log.removed`) or whether you trust the contract: `contractEvent` checks both.
 *
 * The arguments come from the log in `rawFields`, and the event's inputs, name, signature, contract and transaction hash
 * must agree with it. The arguments of an event without `rawFields` come from its inputs, and `log` is `undefined`.
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
 * @param event An event from a receiver or a parser.
 * @param abi The contract's ABI: parsed by `parseAbi`, or declared `as const` for its types. It is read once per object:
 * reuse the object and do not change it.
 * @param options `requireLog`.
 * @returns Name, arguments and log. The arguments have the forms of viem's `decodeEventLog`: an object; an array if an
 * input has no name; `undefined` if there are no inputs. An indexed string, bytes, array or struct is its hash.
 * @throws DecodeError with its codes; ConfigError `ERR_WEBHOOK_CONFIG` when `abi` or an option is invalid.
 */
export function decodeEvent<const Abi extends readonly unknown[], RequireLog extends boolean = false>(
  event: EventEmitted,
  abi: ParsedAbi<Abi>,
  options?: DecodeOptions<RequireLog>,
): DecodedEvent<Abi, EventNames<Abi>, RequireLog> {
  if (options !== undefined) checkOptions('decodeEvent', options, ['requireLog']);
  const items = abiEventItems(abi);
  const log = rawLog(event);
  return decodeAs(event, chooseItem(event, items, log), log, options?.requireLog) as never;
}

/** Decodes an event with its item of an ABI. */
export function decodeAs(event: EventEmitted, item: AbiEventItem, log: RawLog | undefined, requireLog = false) {
  if (log === undefined && requireLog) {
    throw new DecodeError(
      'ERR_WEBHOOK_RAW_FIELDS',
      event,
      'rawFields',
      'is absent, but requireLog is set. Have the service send it.',
    );
  }
  const values = log ? decodeLog(event, item, log.topics, new AbiData(log.data)) : decodeInputs(event, item);
  if (log) checkAgreement(event, item, log, values);
  return { eventName: item.name, args: argsOf(item, values), log };
}

function argsOf({ isNamed, inputs }: AbiEventItem, values: unknown[]): unknown {
  if (inputs.length === 0) return undefined;
  return isNamed
    ? recordOf(
        inputs.map(({ name }) => name),
        values,
      )
    : values;
}
