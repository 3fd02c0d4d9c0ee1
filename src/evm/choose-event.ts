import type { ContractEvent, EventEmitted } from '../events/types.js';
import type { EventItem, EventItems, ItemInput } from './abi-items.js';
import { DecodeError } from './decode-error.js';
import type { RawLog } from './types.js';

/** Whether a signature is written so, or nearly so: with spaces, or uint for uint256. */
function isWritten(signature: string, written: string): boolean {
  return signature === written || signature === canonical(written);
}

/** A signature as ABIs hash it, as far as it can be told from how it is written. */
export function canonical(signature: string): string {
  return signature.replace(/,\s+/g, ',').replace(/\b(u?int)\b/g, '$1256');
}

/** Whether an input may be that of the ABI: where one of the two has no name, or a made-up one, nothing tells. */
export function isSameName(name: string, wire: string): boolean {
  return name === wire || name === '' || wire === '' || /^arg\d+$/.test(wire);
}

/**
 * The event of an ABI that an event is: by the log's first topic and the number of its topics, which tell the Transfer
 * of ERC-20 from that of ERC-721; by its signature for an anonymous one, and without a log.
 *
 * @throws DecodeError `ERR_WEBHOOK_ABI_MISMATCH` when there is none, or when nothing tells which of several it is;
 * ConfigError `ERR_WEBHOOK_CONFIG` when it may be one that the ABI has with a type that cannot be decoded.
 */
export function chooseItem(event: EventEmitted, items: EventItems, log: RawLog | undefined): EventItem {
  const { name, inputs } = event.data.event;
  const fail = (input: string, reason: string) => new DecodeError('ERR_WEBHOOK_ABI_MISMATCH', event, input, reason);
  const found = fitting(event.data.event, items, log);
  // What flags or names of inputs contradict is told where the inputs are read.
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
    'fits more than one event of the ABI, and its inputs have the names of none. Give an ABI with one of them.';
  throw fail('signature', reason);
}

/** The events that one may be: by the topics of its log, and without one by signature, names and flags of the inputs. */
export function fitting(event: ContractEvent, items: EventItems, log: RawLog | undefined): readonly EventItem[] {
  if (log === undefined) return signed(event, items).filter(({ inputs }) => inputs.every(isLike(event)));
  const [topic] = log.topics;
  const hasItsTopics = ({ topicCount }: EventItem) => topicCount === log.topics.length;
  const hashed = ((topic && items.byTopic.get(topic)) ?? []).filter(hasItsTopics);
  // The topic of an anonymous event may be anything, also the hash of another event's signature.
  if (hashed.some(({ signature }) => isWritten(signature, event.signature))) return hashed;
  const anonymous = signed(event, items).filter((item) => item.isAnonymous && hasItsTopics(item));
  return anonymous.length > 0 ? anonymous : hashed;
}

/** The events that have the signature of one. */
export function signed({ signature }: ContractEvent, items: EventItems): readonly EventItem[] {
  return items.bySignature.get(signature) ?? items.bySignature.get(canonical(signature)) ?? [];
}

function isLike({ inputs }: ContractEvent) {
  return ({ name, isHashed }: ItemInput, at: number): boolean => {
    const input = inputs[at];
    return input !== undefined && input.hashed === isHashed && isSameName(name, input.name);
  };
}

function notFound({ data }: EventEmitted, items: EventItems, log: RawLog | undefined): string {
  const alike = items.all
    .filter(({ name }) => name === data.event.name)
    .map(({ signature, topicCount }) => `${signature} with ${topicCount} topics`);
  const has =
    alike.length > 0 ? `Under its name the ABI has ${alike.join(' and ')}` : 'The ABI has none under its name';
  return `is that of no event of the ABI. ${has}${log ? `, and the log has ${log.topics.length} topics` : ''}. Give the ABI of the contract that emitted it.`;
}
