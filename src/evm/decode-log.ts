import { decodeValues } from './abi-data.js';
import { DecodeError } from './decode-error.js';
import type { EventItem } from './event-item.js';
import type { RawLog } from './types.js';

/**
 * Decodes a log by an event of an ABI into its arguments, in the order of the ABI.
 *
 * @throws DecodeError `ERR_WEBHOOK_DECODE` when topics or data do not hold them.
 */
export function decodeLog(
  event: { readonly id: string },
  item: EventItem,
  log: Pick<RawLog, 'topics' | 'data'>,
): unknown[] {
  const fail = (input: string, reason: string) =>
    new DecodeError('ERR_WEBHOOK_DECODE', event, input, `${reason} The log in rawFields is not what the ABI says.`);
  let topic = item.isAnonymous ? 0 : 1;
  const topicOf = item.inputs.map(({ isIndexed }) => (isIndexed ? log.topics[topic++] : undefined));
  // Each of these is one word, so that their topics in a row are their encoding.
  const words = item.inputs.map(({ isHashed }, at) => (isHashed ? '' : (topicOf[at]?.slice(2) ?? '')));
  const fromTopics = decodeValues(item.inTopics, `0x${words.join('')}`, fail);
  const fromData = decodeValues(item.inData, log.data, fail);
  let [inTopics, inData] = [0, 0];
  return item.inputs.map(({ isHashed, isIndexed }, at) => {
    if (isHashed) return topicOf[at];
    return isIndexed ? fromTopics[inTopics++] : fromData[inData++];
  });
}
