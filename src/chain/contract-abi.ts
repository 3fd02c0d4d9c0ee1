import type { AbiEvent, AbiFunction, AbiParameter } from 'abitype';
import type { EventDetails, EventTransaction } from '../events/types.js';
import { type AbiEventItem, abiEventItem, hashOf, itemsOf } from '../evm/abi-items.js';
import { codecOf } from '../evm/codec-of.js';
import { decodeLog } from '../evm/decode-event.js';
import { decodeValues, type Encoded } from '../evm/decode-values.js';
import type { Codec } from '../evm/elementary-codecs.js';
import type { Hex, RawLog } from '../evm/types.js';
import { encodedSize, valueText } from './value-text.js';

type Called = NonNullable<EventTransaction['method']>;
type Emitted = Pick<EventDetails, 'name' | 'signature' | 'inputs'>;

/** A contract's ABI, prepared to turn logs and calls into the values of the wire. */
export interface ContractAbi {
  /** The event of a log; undefined when no event of the ABI matches. */
  emitted(log: Pick<RawLog, 'topics' | 'data'>): Emitted | undefined;
  /** The call in a transaction's data; undefined when no function of the ABI matches. */
  called(input: Hex): Called | undefined;
}

/** A value in its wire format, and the number of bytes that encode it. */
interface WireValue {
  readonly text: string;
  readonly size: number;
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not an ABI, or has an event that cannot be decoded. */
export function contractAbi(abi: readonly unknown[]): ContractAbi {
  const events = itemsOf<AbiEvent>(abi, 'event').map(textItem);
  const anonymous = events.filter(({ isAnonymous }) => isAnonymous);
  const byTopic = new Map<string | undefined, AbiEventItem[]>();
  for (const item of events) {
    if (item.isAnonymous) continue;
    const topic = hashOf(item.signature);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), item]);
  }
  const functions = functionsOf(abi);

  return {
    emitted(log) {
      const candidates = [...(byTopic.get(log.topics[0]) ?? []), ...anonymous];
      let loose: Emitted | undefined;
      for (const item of candidates) {
        const found = item.topicCount === log.topics.length ? readAs(item, log) : undefined;
        // An anonymous event has no topic to identify it, and the data of another may decode too: its length then differs.
        if (found?.isWhole) return found.emitted;
        loose ??= found?.emitted;
      }
      return loose;
    },
    called(input) {
      const [found, other] = functions.get(input.slice(0, 10)) ?? [];
      return found && !other ? found(`0x${input.slice(10)}`) : undefined;
    },
  };
}

/** A codec that returns checked values in their wire format. */
function textCodec(parameter: AbiParameter, codec: Codec): Codec {
  const fromChain = (decoded: unknown): WireValue => {
    codec.fromChain?.(decoded);
    return { text: valueText(parameter, decoded), size: encodedSize(parameter, decoded) };
  };
  return { ...codec, fromChain };
}

function textItem(event: AbiEvent): AbiEventItem {
  const item = abiEventItem(event);
  const inputs = item.inputs.map((input, at) => ({
    ...input,
    codec: textCodec(event.inputs[at] as AbiParameter, input.codec),
  }));
  const pick = (from: AbiEventItem['inputs']) => inputs.filter((_, at) => from.includes(item.inputs[at] as never));
  return { ...item, inputs, inTopics: pick(item.inTopics), inData: pick(item.inData) };
}

function readAs(item: AbiEventItem, log: Pick<RawLog, 'topics' | 'data'>) {
  const { name, signature } = item;
  let values: unknown[];
  try {
    // The error is dropped, so the id is not used.
    values = decodeLog({ id: '' }, item, log);
  } catch {
    return undefined;
  }
  let left = log.data.length / 2 - 1;
  const inputs = item.inputs.map((input, at) => {
    const { text, size } = input.isHashed ? { text: values[at] as Hex, size: 0 } : (values[at] as WireValue);
    if (!input.isIndexed) left -= size;
    return { name: input.name, value: text, hashed: input.isHashed, type: input.codec.type };
  });
  return { emitted: { name, signature, inputs }, isWhole: left === 0 };
}

/** Functions that read the arguments of a call, by selector: 0x and 8 hex digits. */
function functionsOf(abi: readonly unknown[]) {
  const functions = new Map<string, ((encoded: Hex) => Called | undefined)[]>();
  const known = new Set<string>();
  for (const { name, inputs = [] } of itemsOf<AbiFunction>(abi, 'function')) {
    let values: Encoded[];
    try {
      values = inputs.map((each) => ({ codec: textCodec(each, codecOf(each)), label: '' }));
    } catch {
      // Only libraries have such types, and no transaction calls them.
      continue;
    }
    const signature = `${name}(${values.map(({ codec }) => codec.type).join(',')})`;
    if (known.has(signature)) continue;
    known.add(signature);
    const selector = hashOf(signature).slice(0, 10);
    const read = (encoded: Hex) => {
      try {
        const texts = decodeValues(values, encoded, () => new Error()) as WireValue[];
        const called = texts.map(({ text }, at) => {
          return { name: inputs[at]?.name ?? '', value: text, type: (values[at] as Encoded).codec.type };
        });
        return { name, signature, inputs: called };
      } catch {
        return undefined;
      }
    };
    functions.set(selector, [...(functions.get(selector) ?? []), read]);
  }
  return functions;
}
