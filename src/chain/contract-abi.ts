import type { EventDetails, EventTransaction } from '../events/types.js';
import { AbiData } from '../evm/abi-data.js';
import { type AbiEventItem, readEvents } from '../evm/abi-items.js';
import { decodeValues } from '../evm/codec.js';
import { decodeLog } from '../evm/decode-event.js';
import { type FunctionItem, readFunctions, SELECTOR } from '../evm/decode-transaction.js';
import type { Hex, RawLog } from '../evm/types.js';
import { goText, valueText } from './value-text.js';

type Called = NonNullable<EventTransaction['method']>;
type Emitted = Pick<EventDetails, 'name' | 'signature' | 'inputs'>;

export type ContractAbi = ReturnType<typeof contractAbi>;

/**
 * Prepares a contract's ABI to decode logs and calls to wire values.
 *
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when the value is not an ABI, or when none of its events can be decoded.
 */
export function contractAbi(abi: readonly unknown[]) {
  const { all, byTopic, broken } = readEvents(abi, goText);
  const [failure] = broken.values();
  if (failure && all.length === 0) throw failure;
  const skipped = [...broken.keys()].map((name) => `event ${name}`);
  const anonymous = all.filter(({ isAnonymous }) => isAnonymous);
  const functions = readFunctions(abi, (name) => skipped.push(`function ${name}`), goText);

  return {
    /** The first topics of its events' logs; undefined if it has an anonymous event. */
    topics: anonymous.length > 0 ? undefined : ([...byTopic.keys()] as Hex[]),
    /** The decoded event; undefined when the ABI has no matching event. */
    emitted(log: Pick<RawLog, 'topics' | 'data'>): Emitted | undefined {
      let loose: Emitted | undefined;
      for (const item of [...(byTopic.get(log.topics[0] ?? '') ?? []), ...anonymous]) {
        const found = item.topicCount === log.topics.length ? readAs(item, log) : undefined;
        // An anonymous event has no identifying topic. Data of another event may decode too, but then its encoded
        // length differs.
        if (found?.isWhole) return found.emitted;
        loose ??= found?.emitted;
      }
      return loose;
    },
    /** The decoded call; undefined when the ABI has no matching function. */
    called(input: Hex): Called | undefined {
      const [found, other] = functions.get(input.slice(0, SELECTOR)) ?? [];
      return found && !other ? readCall(found, input) : undefined;
    },
    /** Events and functions whose types cannot be decoded. */
    skipped,
  };
}

function readAs(item: AbiEventItem, { topics, data }: Pick<RawLog, 'topics' | 'data'>) {
  const encoded = new AbiData(data);
  let values: unknown[];
  try {
    values = decodeLog({ id: '' }, item, topics, encoded);
  } catch {
    return undefined;
  }
  const inputs = item.inputs.map(({ name, codec, isHashed }, at) => {
    const value = isHashed ? (values[at] as Hex) : valueText(codec, values[at]);
    return { name, value, hashed: isHashed, type: codec.type };
  });
  const { name, signature } = item;
  return { emitted: { name, signature, inputs }, isWhole: encoded.claimed === data.length / 2 - 1 };
}

function readCall({ name, signature, inputs }: FunctionItem, input: Hex): Called | undefined {
  try {
    const values = decodeValues(inputs, new AbiData(input, SELECTOR), () => new Error());
    const called = inputs.map(({ name, codec }, at) => ({
      name,
      value: valueText(codec, values[at]),
      type: codec.type,
    }));
    return { name, signature, inputs: called };
  } catch {
    return undefined;
  }
}
