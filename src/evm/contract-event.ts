import { ConfigError } from '../errors.js';
import type { EventEmitted } from '../events/types.js';
import type { EventMatcher } from '../receiver/router.js';
import { eventItems, groupEvents } from './abi-items.js';
import { chooseItem, fitting, signed } from './choose-event.js';
import { DecodeError } from './decode-error.js';
import { type DecodeOptions, decodeAs } from './decode-event.js';
import { rawLog } from './raw-log.js';
import type { ContractEventOf, EventNames } from './types.js';

/** Which events a route made by `contractEvent` is for. */
export interface ContractEventOptions<
  Abi extends readonly unknown[],
  Name extends EventNames<Abi>,
  RequireLog extends boolean,
> extends DecodeOptions<RequireLog> {
  /** ABI of the contract, `as const` for its types. */
  readonly abi: Abi;
  /** Name of an event of the ABI; all its overloads are selected. */
  readonly name: Name;
  /**
   * Address of the contract, in any case. Without it an event of any contract is selected, anybody can deploy one that
   * emits what yours does, and an event that cannot be decoded is reported and left to the next route. (Default: any.)
   */
  readonly address?: string;
  /**
   * `false` selects the events that stand, `true` those whose log a re-org took out of the chain, so that a route of its
   * own can undo them. (Default: false.)
   */
  readonly removed?: boolean | undefined;
}

/**
 * Makes a matcher for `createRouter().on(…)` that selects an event of a contract and gives its handler
 * `{ eventName, args, log, event }`, with `args` typed by the ABI. An event that cannot be decoded is a `DecodeError`:
 *
 * - With an `address` that event fails, alone: it is sent again, and the others of its delivery are handled.
 * - Without one it goes to the next route, or `otherwise`, and the receiver's `onError` is told. Anybody can emit such an
 *   event on purpose, which must not fail for ever.
 *
 * An event of the name with another signature is left to the next route. So is one of the same signature with other
 * inputs indexed (ERC-721 beside ERC-20), unless an address is given: then the ABI is not that of the contract, and it
 * fails.
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
 *   .on(contractEvent({ ...token, removed: true }), ({ args }) => console.log(`${args.to} has not got ${args.value}`));
 * ```
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the ABI is none or has no event of that name.
 */
export function contractEvent<
  const Abi extends readonly unknown[],
  const Name extends EventNames<Abi>,
  RequireLog extends boolean = false,
>(options: ContractEventOptions<Abi, Name, RequireLog>): EventMatcher<ContractEventOf<Abi, Name, RequireLog>> {
  const { abi, name, removed = false, requireLog } = options;
  const { all, broken } = eventItems(abi);
  if (broken.has(name)) throw broken.get(name);
  const items = groupEvents(
    all.filter((item) => item.name === name),
    broken,
  );
  if (items.all.length === 0)
    throw new ConfigError(`The ABI has no event ${name}. Check the name, which is written without types.`);
  const isOfAnyContract = !('address' in options);
  const address = String(options.address).toLowerCase();

  function decode(event: EventEmitted) {
    const log = rawLog(event);
    if ((log?.removed ?? false) !== removed) return undefined;
    const emitted = event.data.event;
    const own = [...(items.byTopic.get(log?.topics[0] ?? '') ?? []), ...signed(emitted, items)];
    if (own.length === 0) return undefined;
    // The same signature with other inputs indexed is another standard's event.
    const isLike = log
      ? own.some((item) => item.topicCount === log.topics.length)
      : fitting(emitted, items, log).length > 0;
    if (isOfAnyContract && !isLike) return undefined;
    return { ...decodeAs(event, chooseItem(event, items, log), log, requireLog), event } as never;
  }

  return {
    kind: 'event.emitted',
    // An address that is there and undefined is a mistake, which the router refuses.
    filter: isOfAnyContract ? { name } : { name, address: options.address as string },
    id: `${removed ? 'removed ' : ''}${items.all.map(({ signature, topicCount }) => signature + topicCount).sort()}`,
    select(event, report) {
      const emitted = event.data.event;
      // A router has looked at these; who else asks may not have.
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
