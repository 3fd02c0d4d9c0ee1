import { ConfigError } from '../errors.js';
import type { EventEmitted } from '../events/types.js';
import { checkOptions, optionError } from '../internal/check-options.js';
import type { RouteHandler } from '../receiver/router.js';
import type { EventMatcher } from '../receiver/routes.js';
import { abiEventItems, groupEvents } from './abi-items.js';
import { chooseItem, fitting, signed } from './choose-event.js';
import { DecodeError } from './decode-error.js';
import { type DecodeOptions, decodeAs } from './decode-event.js';
import { ADDRESS } from './hex.js';
import { rawLog } from './raw-log.js';
import type { EventNames, MatchedEvent, ParsedAbi } from './types.js';

/** Options of `contractEvent`: the events to select. */
export interface ContractEventOptions<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi>,
  RequireLog extends boolean,
> extends DecodeOptions<RequireLog> {
  /** ABI of the contract: parsed by `parseAbi`, or declared `as const` for its types. */
  readonly abi: ParsedAbi<Abi>;
  /** Name of an event of the ABI, without its types. Selects all its overloads. */
  readonly name: Name;
  /**
   * Address of the contract: 0x and 40 hex digits, in any case. Without it the matcher selects events of any contract,
   * and anyone can deploy one that emits the same events. (Default: any.)
   */
  readonly address?: string;
  /**
   * `false` selects events whose log is part of the chain; `true` selects the notices that a re-org removed a log, so
   * that a separate route can undo its effect. (Default: `false`.)
   */
  readonly removed?: boolean | undefined;
}

/** Type of the handler of a `contractEvent` route, for handlers that are declared elsewhere. */
export type ContractEventHandler<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi> = EventNames<Abi>,
  Tx = undefined,
  RequireLog extends boolean = false,
> = RouteHandler<MatchedEvent<Abi, Name, RequireLog>, Tx>;

/**
 * Creates a matcher for `createRouter().on(…)` that selects an event of a contract and passes its handler
 * `{ eventName, args, log, event }`, with `args` typed by the ABI. It does not check who deployed the contract: give its
 * `address`.
 *
 * An event that cannot be decoded causes a `DecodeError`:
 *
 * - With an `address`, only that event fails and is redelivered; the other events of its delivery are handled.
 * - Without one, the event goes to the next route, or `otherwise`, and the receiver's `onError` gets the error. Anyone can
 *   emit such an event on purpose, so it must not fail forever.
 *
 * An event of the same name with another signature goes to the next route. An event of the same signature with other
 * indexed inputs (ERC-721 beside ERC-20) does so too, unless an address is given: then it fails, because the
 * ABI does not belong to the contract.
 *
 * @example
 * ```ts
 * import { parseAbi } from 'abitype';
 * import { createRouter } from 'event-webhook-receiver';
 * import { contractEvent } from 'event-webhook-receiver/evm';
 *
 * const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
 * const token = { abi, name: 'Transfer', address: '0x5FbDB2315678afecb367f032d93F642f64180aa3' } as const;
 *
 * export const router = createRouter()
 *   .on(contractEvent(token), ({ args }) => console.log(`${args.to} gets ${args.value}`))
 *   .on(contractEvent({ ...token, removed: true }), ({ args }) => console.log(`${args.to} does not get ${args.value}`));
 * ```
 * @param options ABI, event name and address; see {@link ContractEventOptions}.
 * @returns A matcher, to pass to `on` of any number of routers.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is unknown or invalid, or the ABI has no event of that name.
 */
export function contractEvent<
  const Abi extends readonly unknown[],
  const Name extends EventNames<Abi>,
  RequireLog extends boolean = false,
>(options: ContractEventOptions<Abi, Name, RequireLog>): EventMatcher<MatchedEvent<Abi, Name, RequireLog>> {
  checkOptions('contractEvent', options, ['abi', 'name', 'address', 'removed', 'requireLog']);
  const { abi, name, removed = false, requireLog = false } = options;
  if (typeof name !== 'string') throw optionError('name', 'the name of an event', name);
  if (typeof removed !== 'boolean') throw optionError('removed', 'true or false', removed);
  if (typeof requireLog !== 'boolean') throw optionError('requireLog', 'true or false', requireLog);
  const { all, broken } = abiEventItems(abi);
  if (broken.has(name)) throw broken.get(name);
  const items = groupEvents(
    all.filter((item) => item.name === name),
    broken,
  );
  if (items.all.length === 0)
    throw new ConfigError(`\`abi\` has no event ${name}. Check \`name\`, which takes the name without types.`);
  // An address from an unset variable must not select the events of every contract.
  const isOfAnyContract = !('address' in options);
  const address = isOfAnyContract ? undefined : addressOf(options.address);

  function decode(event: EventEmitted) {
    const log = rawLog(event);
    if ((log?.removed ?? false) !== removed) return undefined;
    const emitted = event.data.event;
    const own = [items.byTopic.get(log?.topics[0] ?? '') ?? [], signed(emitted, items)];
    if (own.every((some) => some.length === 0)) return undefined;
    // The same signature with other indexed inputs is another standard's event.
    const isLike = () =>
      log
        ? own.some((some) => some.some((item) => item.topicCount === log.topics.length))
        : fitting(emitted, items, log).length > 0;
    if (isOfAnyContract && !isLike()) return undefined;
    return { ...decodeAs(event, chooseItem(event, items, log), log, requireLog), event } as never;
  }

  return {
    filter: address === undefined ? { name } : { name, address },
    select(event, report) {
      const emitted = event.data.event;
      // A router has compared name and address already; other callers may not have.
      if (emitted.name !== name) return undefined;
      if (!isOfAnyContract) return emitted.contract.address.toLowerCase() === address ? decode(event) : undefined;
      try {
        return decode(event);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        report?.(error);
        return undefined;
      }
    },
  };
}

function addressOf(address: unknown): string {
  if (typeof address === 'string' && ADDRESS.test(address)) return address.toLowerCase();
  throw optionError('address', '0x and 40 hex digits', address);
}
