import { type DeliveryItem, type EventEmitted, parseDelivery } from 'event-webhook-receiver';
import { isRemoved } from 'event-webhook-receiver/evm';
import { attempt } from '../guards.js';
import { isReadable } from '../readable-json.js';
import { type Gist, gistOf, NO_GIST } from './gist.js';
import { cut } from './text-limits.js';

/** Summary of a body for the list: small for any body, and kept after the bytes are dropped. */
export interface Contents {
  /** Size of the body. */
  readonly bytes: number;
  /** Number of items; 0 if the body is not a JSON array or was not read. */
  readonly events: number;
  /** Whether nothing is known about the body except its size, because it was not read. */
  readonly unread?: true | undefined;
  /** Distinct kinds of its items. */
  readonly kinds: readonly string[];
  /** Distinct contracts, by label or else by address. */
  readonly contracts: readonly string[];
  /** Distinct names of contract events. */
  readonly names: readonly string[];
  /** Whether a re-org removed events in it. */
  readonly removed?: true | undefined;
  readonly gist: Gist;
}

/** Limits: how many kinds, contracts and names are listed, and the length of each. */
const MOST = 20;
const LONGEST = 200;

/** The summary of an unread body of this size. */
export const unread = (bytes: number): Contents => ({
  ...{ bytes, events: 0, unread: true, kinds: [], contracts: [], names: [] },
  gist: NO_GIST,
});

const remembered = new WeakMap<Uint8Array, Contents>();

/** Summarizes a body, once for the same bytes. Does not verify it. */
export function contentsOf(rawBody: Uint8Array): Contents {
  const known = remembered.get(rawBody);
  if (known) return known;
  const contents = read(rawBody);
  remembered.set(rawBody, contents);
  return contents;
}

function read(rawBody: Uint8Array): Contents {
  const [kinds, contracts, names] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const items = itemsOf(rawBody);
  let removed: true | undefined;
  for (const item of items) {
    if (item.status === 'unknown') note(kinds, item.kind);
    if (item.status !== 'event') continue;
    const { event } = item;
    note(kinds, event.event);
    if (event.event === 'event.emitted') {
      const { name, contract } = event.data.event;
      note(names, name);
      if (wasRemoved(event)) removed = true;
      note(contracts, contract.label || contract.addressLabel || contract.address);
    } else if (typeof event.data.tx?.to === 'string') note(contracts, event.data.tx.to);
  }
  return {
    bytes: rawBody.byteLength,
    events: items.length,
    kinds: [...kinds],
    contracts: [...contracts],
    names: [...names],
    removed,
    gist: gistOf(items),
  };
}

/** Whether a re-org removed the log of an event. An event without a readable log was not removed. */
export const wasRemoved = (event: EventEmitted): boolean => attempt(() => isRemoved(event)) === true;

/** The items of a body; none if it is not a JSON array or has far more values than any delivery. */
export const itemsOf = (rawBody: Uint8Array): DeliveryItem[] =>
  (isReadable(rawBody) && attempt(() => parseDelivery(rawBody))) || [];

function note(texts: Set<string>, text: string): void {
  if (texts.size < MOST) texts.add(cut(text, LONGEST));
}
