import type { AbiEvent } from 'abitype';
import { hashOf, itemsOf, oncePerAbi } from './abi.js';
import { type EventItem, eventItem } from './event-item.js';

/** Events of an ABI under what they are looked up by. */
export interface EventItems {
  readonly all: readonly EventItem[];
  /** By the hash of their signature, which is the first topic of their logs. Anonymous ones have none. */
  readonly byTopic: ReadonlyMap<string, readonly EventItem[]>;
  readonly bySignature: ReadonlyMap<string, readonly EventItem[]>;
  /** Why those that cannot be decoded cannot, by name: the others of the ABI can. */
  readonly broken: ReadonlyMap<string, unknown>;
}

/**
 * The events of an ABI, read once.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is no ABI.
 */
export const eventItems = oncePerAbi((abi) => {
  const items: EventItem[] = [];
  const broken = new Map<string, unknown>();
  for (const event of itemsOf<AbiEvent>(abi, 'event')) {
    try {
      items.push(eventItem(event));
    } catch (error) {
      broken.set(event.name, error);
    }
  }
  return groupEvents(items, broken);
});

/** Events under what they are looked up by. */
export function groupEvents(all: readonly EventItem[], broken: EventItems['broken']): EventItems {
  const signed = all.filter(({ isAnonymous }) => !isAnonymous);
  return {
    all,
    byTopic: groupBy(signed, ({ signature }) => hashOf(signature)),
    bySignature: groupBy(all, ({ signature }) => signature),
    broken,
  };
}

function groupBy(items: readonly EventItem[], keyOf: (item: EventItem) => string): Map<string, EventItem[]> {
  const groups = new Map<string, EventItem[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
