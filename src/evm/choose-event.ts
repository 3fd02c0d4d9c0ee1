import type { EventDetails, EventEmitted } from '../events/types.js';
import type { AbiEventItem, AbiEventItems, ItemInput } from './abi-items.js';
import { DecodeError } from './decode-error.js';
import type { RawLog } from './types.js';

/** Whether `written` is the signature, ignoring spaces and `uint` for `uint256`. */
function isWritten(signature: string, written: string): boolean {
  return signature === written || signature === canonical(written);
}

/** The canonical signature: without spaces, and `uint256` for `uint`. */
export function canonical(signature: string): string {
  return signature.replace(/,\s+/g, ',').replace(/\b(u?int)\b/g, '$1256');
}

/** Whether the names of two inputs are compatible. An absent or generated name (`arg0`) matches every name. */
export function isSameName(name: string, wire: string): boolean {
  return name === wire || name === '' || wire === '' || /^arg\d+$/.test(wire);
}

/**
 * Finds an event's item in an ABI: by the log's first topic and number of topics, which distinguishes the Transfer of
 * ERC-20 from that of ERC-721; by signature if the event is anonymous or comes without a log.
 *
 * @throws DecodeError `ERR_WEBHOOK_ABI_MISMATCH` when no item matches, or several do;
 * ConfigError `ERR_WEBHOOK_CONFIG` when an item of that name has a type that cannot be decoded.
 */
export function chooseItem(event: EventEmitted, items: AbiEventItems, log: RawLog | undefined): AbiEventItem {
  const { name, inputs } = event.data.event;
  const fail = (input: string, reason: string) => new DecodeError('ERR_WEBHOOK_ABI_MISMATCH', event, input, reason);
  const found = fitting(event.data.event, items, log);
  // If only flags or names differ, decoding the inputs gives a better error.
  const fit = found.length > 0 || log ? found : signed(event.data.event, items);
  const [first] = fit;
  if (first === undefined) {
    if (items.broken.has(name)) throw items.broken.get(name);
    throw fail(log ? 'rawFields.topics' : 'signature', notFound(event, items, log));
  }
  if (fit.every(({ shape }) => shape === first.shape)) return first;
  const named = fit.filter((item) => item.inputs.every((input, at) => input.name === inputs[at]?.name));
  const [only] = named;
  if (only !== undefined && named.every(({ shape }) => shape === only.shape)) return only;
  const reason =
    'matches several events of the ABI, and the names of its inputs match none of them. Pass an ABI that contains only one.';
  throw fail('signature', reason);
}

/** The items that match an event: by its log's topics or, without a log, by signature, names and flags of the inputs. */
export function fitting(event: EventDetails, items: AbiEventItems, log: RawLog | undefined): readonly AbiEventItem[] {
  if (log === undefined) return signed(event, items).filter(({ inputs }) => inputs.every(isLike(event)));
  const [topic] = log.topics;
  const hasItsTopics = ({ topicCount }: AbiEventItem) => topicCount === log.topics.length;
  const hashed = ((topic && items.byTopic.get(topic)) ?? []).filter(hasItsTopics);
  // The first topic of an anonymous event can be anything, even the hash of another event's signature.
  if (hashed.some(({ signature }) => isWritten(signature, event.signature))) return hashed;
  const anonymous = signed(event, items).filter((item) => item.isAnonymous && hasItsTopics(item));
  return anonymous.length > 0 ? anonymous : hashed;
}

/** The items with the signature of an event. */
export function signed({ signature }: EventDetails, items: AbiEventItems): readonly AbiEventItem[] {
  return items.bySignature.get(signature) ?? items.bySignature.get(canonical(signature)) ?? [];
}

function isLike({ inputs }: EventDetails) {
  return ({ name, isHashed }: ItemInput, at: number): boolean => {
    const input = inputs[at];
    return input !== undefined && input.hashed === isHashed && isSameName(name, input.name);
  };
}

function notFound({ data }: EventEmitted, items: AbiEventItems, log: RawLog | undefined): string {
  const alike = items.all
    .filter(({ name }) => name === data.event.name)
    .map(({ signature, topicCount }) => `${signature} with ${topicCount} topics`);
  const has = alike.length > 0 ? `The ABI has ${alike.join(' and ')}` : 'The ABI has no event of that name';
  return `matches no event of the ABI. ${has}${log ? `; the log has ${log.topics.length} topics` : ''}. Pass the ABI of the contract that emitted it.`;
}
