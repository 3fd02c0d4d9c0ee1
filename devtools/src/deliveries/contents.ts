import { type DeliveryItem, parseDelivery } from 'event-webhook-receiver';
import { cut } from './text-limits.js';

/** What a list says of a body: small whatever the body is, and kept when its bytes no longer are. */
export interface Contents {
  /** Size of the body. */
  readonly bytes: number;
  /** How many items it has; 0 when it is no JSON array, or was not read. */
  readonly events: number;
  /** The kinds of its items, each once. */
  readonly kinds: readonly string[];
  /** Labels of the contracts, or their addresses where there is none, each once. */
  readonly contracts: readonly string[];
  /** Names of the contract events, each once. */
  readonly names: readonly string[];
}

/** How many different kinds, contracts and names are told, and with how many characters each. */
const MOST = 20;
const LONGEST = 200;

/** What is said of a body of so many bytes that nobody has read. */
export const unread = (bytes: number): Contents => ({ bytes, events: 0, kinds: [], contracts: [], names: [] });

const remembered = new WeakMap<Uint8Array, Contents>();

/** Reads what a list says of a body, once for the same bytes. It verifies nothing. */
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
  for (const item of items) {
    if (item.status === 'unknown') note(kinds, item.kind);
    if (item.status !== 'event') continue;
    const { event } = item;
    note(kinds, event.event);
    if (event.event === 'event.emitted') {
      const { name, contract } = event.data.event;
      note(names, name);
      note(contracts, contract.label || contract.addressLabel || contract.address);
    } else if (typeof event.data.tx?.to === 'string') note(contracts, event.data.tx.to);
  }
  return {
    bytes: rawBody.byteLength,
    events: items.length,
    kinds: [...kinds],
    contracts: [...contracts],
    names: [...names],
  };
}

/** Commas and opening brackets of a body that is read: well over a thousand events, and a few tenths of a second. */
const MOST_MARKS = 100_000;
const [COMMA, LIST, OBJECT] = [0x2c, 0x5b, 0x7b];

/**
 * Whether a body can be read in a time that a stranger may cost: nobody has verified it, and what is nothing but values
 * takes a thousand times as long, and as much memory, as what is mostly text.
 */
function isReadable(rawBody: Uint8Array): boolean {
  let marks = 0;
  for (const byte of rawBody) if (byte === COMMA || byte === LIST || byte === OBJECT) marks++;
  return marks <= MOST_MARKS;
}

/** The items of a body, none when it is no JSON array, or has far more values than any delivery has. */
export function itemsOf(rawBody: Uint8Array): DeliveryItem[] {
  if (!isReadable(rawBody)) return [];
  try {
    return parseDelivery(rawBody);
  } catch {
    return [];
  }
}

function note(texts: Set<string>, text: string): void {
  if (texts.size < MOST) texts.add(cut(text, LONGEST));
}
