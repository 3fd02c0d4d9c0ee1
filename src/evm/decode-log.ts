import type { EventEmitted } from '../events.js';
import { decodeData, firstUndecodable } from './abi-data.js';
import { DecodeError, Problem } from './decode-error.js';
import type { EventItem, ItemInput } from './event-item.js';
import type { Hex, RawLog } from './types.js';

/**
 * Decodes a log by an event of an ABI into its arguments, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_DECODE` when topics or data do not hold them.
 */
export function decodeLog(event: EventEmitted, item: EventItem, log: RawLog): unknown[] {
  let topic = item.isAnonymous ? 0 : 1;
  const topicOf = item.inputs.map(({ isIndexed }) => (isIndexed ? log.topics[topic++] : undefined));
  // Each of these is one word, so that their topics in a row are their encoding.
  const words = item.inputs.map(({ isHashed }, at) => (isHashed ? '' : (topicOf[at]?.slice(2) ?? '')));
  const fromTopics = decode(event, 'topics', item.inTopics, `0x${words.join('')}`);
  const fromData = decode(event, 'data', item.inData, log.data);
  let [inTopics, inData] = [0, 0];
  return item.inputs.map((input, at) => {
    if (input.isHashed) return topicOf[at];
    return argumentOf(event, input, input.isIndexed ? fromTopics[inTopics++] : fromData[inData++]);
  });
}

function decode(event: EventEmitted, part: string, inputs: readonly ItemInput[], encoded: Hex): unknown[] {
  if (inputs.length === 0) return [];
  const codecs = inputs.map(({ codec }) => codec);
  try {
    return decodeData(codecs, encoded);
  } catch {
    const input = inputs[firstUndecodable(codecs, encoded)]?.label ?? `rawFields.${part}`;
    const reason = `cannot be decoded: rawFields.${part} does not hold a value of its type. Is the ABI that of the contract?`;
    throw new DecodeError('ERR_WEBHOOK_DECODE', event, input, reason);
  }
}

function argumentOf(event: EventEmitted, { codec, label }: ItemInput, decoded: unknown): unknown {
  if (codec.fromChain === undefined) return decoded;
  try {
    return codec.fromChain(decoded);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const reason = `${error.message} The log is not what the ABI says.`;
    throw new DecodeError('ERR_WEBHOOK_DECODE', event, label + error.path, reason);
  }
}
