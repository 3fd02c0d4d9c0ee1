import type { ContractEvent, EventEmitted } from '../events.js';
import { DecodeError } from './decode-error.js';
import type { EventItem } from './event-item.js';
import type { EventItems } from './event-items.js';
import type { RawLog } from './types.js';

/**
 * The event of an ABI that an event is: by the log's first topic and the number of its topics, which tell the Transfer
 * of ERC-20 from that of ERC-721; for an anonymous one by its signature.
 *
 * @throws DecodeError `ERR_WEBHOOK_ABI_MISMATCH` when there is none, or when nothing tells which of several it is.
 */
export function chooseItem(event: EventEmitted, items: EventItems, log: RawLog | undefined): EventItem {
  const fitting = log ? fittingLog(event.data.event, items, log) : fittingInputs(event.data.event, items);
  const [first] = fitting;
  if (first === undefined)
    throw new DecodeError(
      'ERR_WEBHOOK_ABI_MISMATCH',
      event,
      log ? 'rawFields.topics' : 'signature',
      notFound(event, items, log),
    );
  if (fitting.every(({ shape }) => shape === first.shape)) return first;
  const named = fitting.filter((item) => hasNames(item, event.data.event));
  const [only] = named;
  if (only !== undefined && named.every(({ shape }) => shape === only.shape)) return only;
  throw new DecodeError(
    'ERR_WEBHOOK_ABI_MISMATCH',
    event,
    'signature',
    'fits more than one event of the ABI, and its inputs have the names of none. Give an ABI with the right one alone.',
  );
}

function fittingLog({ signature }: ContractEvent, items: EventItems, log: RawLog): readonly EventItem[] {
  const [topic] = log.topics;
  const hasItsTopics = ({ topicCount }: EventItem) => topicCount === log.topics.length;
  const signed = ((topic && items.byTopic.get(topic)) ?? []).filter(hasItsTopics);
  // The topic of an anonymous event may be anything, also the hash of another event's signature.
  if (signed.some((item) => item.signature === signature)) return signed;
  const anonymous = (items.bySignature.get(signature) ?? []).filter((item) => item.isAnonymous && hasItsTopics(item));
  return anonymous.length > 0 ? anonymous : signed;
}

function fittingInputs({ signature, inputs }: ContractEvent, items: EventItems): readonly EventItem[] {
  const signed = items.bySignature.get(signature) ?? [];
  const hashed = inputs.map((input) => input.hashed).join();
  const alike = signed.filter((item) => item.inputs.map(({ isHashed }) => isHashed).join() === hashed);
  return alike.length > 0 ? alike : signed;
}

function hasNames(item: EventItem, { inputs }: ContractEvent): boolean {
  return item.inputs.every(({ name }, at) => name === inputs[at]?.name);
}

function notFound({ data }: EventEmitted, items: EventItems, log: RawLog | undefined): string {
  const alike = items.all
    .filter(({ name }) => name === data.event.name)
    .map(({ signature, topicCount }) => `${signature} with ${topicCount} topics`);
  const has =
    alike.length > 0 ? `Under its name the ABI has ${alike.join(' and ')}` : 'The ABI has none under its name';
  return `is that of no event of the ABI. ${has}${log ? `, and the log has ${log.topics.length} topics` : ''}. Give the ABI of the contract that emitted it.`;
}
