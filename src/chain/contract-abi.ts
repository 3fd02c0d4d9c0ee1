import type { AbiEvent, AbiFunction, AbiParameter } from 'abitype';
import type { EventDetails, EventTransaction } from '../events/types.js';
import { AbiData } from '../evm/abi-data.js';
import { type AbiEventItem, abiEventItem, itemsOf } from '../evm/abi-items.js';
import { codecOf } from '../evm/codec-of.js';
import { decodeLog } from '../evm/decode-event.js';
import { SELECTOR } from '../evm/decode-transaction.js';
import { decodeValues, type Encoded } from '../evm/decode-values.js';
import { hashOf } from '../evm/keccak.js';
import type { Hex, RawLog } from '../evm/types.js';
import { goText, valueText } from './value-text.js';

type Called = NonNullable<EventTransaction['method']>;
type Emitted = Pick<EventDetails, 'name' | 'signature' | 'inputs'>;

/** A contract's ABI, prepared to turn logs and calls into the values of the wire. */
export interface ContractAbi {
  /** The first topics of its events' logs; undefined if they may be any. */
  readonly topics: readonly Hex[] | undefined;
  /** The event of a log; undefined when no event of the ABI matches. */
  emitted(log: Pick<RawLog, 'topics' | 'data'>): Emitted | undefined;
  /** The call in a transaction's data; undefined when no function of the ABI matches. */
  called(input: Hex): Called | undefined;
  /** The events and functions that are left out, because their types cannot be decoded. */
  readonly skipped: readonly string[];
}

interface TextItem extends AbiEventItem {
  readonly parameters: readonly AbiParameter[];
}

/** @throws ConfigError `ERR_WEBHOOK_CONFIG` when it is not an ABI, or none of its events can be decoded. */
export function contractAbi(abi: readonly unknown[]): ContractAbi {
  const skipped: string[] = [];
  const events: TextItem[] = [];
  let failure: unknown;
  for (const event of itemsOf<AbiEvent>(abi, 'event')) {
    try {
      events.push({ ...abiEventItem(event, goText), parameters: event.inputs ?? [] });
    } catch (error) {
      failure ??= error;
      skipped.push(`event ${event.name}`);
    }
  }
  if (failure && events.length === 0) throw failure;
  const anonymous = events.filter(({ isAnonymous }) => isAnonymous);
  const byTopic = new Map<Hex | undefined, TextItem[]>();
  for (const item of events) {
    if (item.isAnonymous) continue;
    const topic = hashOf(item.signature);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), item]);
  }
  const functions = functionsOf(abi, (name) => skipped.push(`function ${name}`));

  return {
    topics: anonymous.length > 0 ? undefined : ([...byTopic.keys()] as Hex[]),
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
      const [found, other] = functions.get(input.slice(0, SELECTOR)) ?? [];
      return found && !other ? found(input) : undefined;
    },
    skipped,
  };
}

function readAs({ parameters, ...item }: TextItem, { topics, data }: Pick<RawLog, 'topics' | 'data'>) {
  const encoded = new AbiData(data);
  let values: unknown[];
  try {
    // The error is dropped, so the id is not used.
    values = decodeLog({ id: '' }, item, topics, encoded);
  } catch {
    return undefined;
  }
  const inputs = item.inputs.map(({ name, codec, isHashed }, at) => {
    const value = isHashed ? (values[at] as Hex) : valueText(parameters[at] as AbiParameter, values[at]);
    return { name, value, hashed: isHashed, type: codec.type };
  });
  const { name, signature } = item;
  return { emitted: { name, signature, inputs }, isWhole: encoded.claimed === data.length / 2 - 1 };
}

/** Functions that read the arguments of a call, by selector: 0x and 8 hex digits. */
function functionsOf(abi: readonly unknown[], skip: (name: string) => void) {
  const functions = new Map<string, ((input: Hex) => Called | undefined)[]>();
  const known = new Set<string>();
  for (const { name, inputs = [] } of itemsOf<AbiFunction>(abi, 'function', skip)) {
    let values: Encoded[];
    try {
      values = inputs.map((each) => ({ codec: codecOf(each, goText), label: '' }));
    } catch {
      skip(name);
      continue;
    }
    const signature = `${name}(${values.map(({ codec }) => codec.type).join(',')})`;
    if (known.has(signature)) continue;
    known.add(signature);
    const selector = hashOf(signature).slice(0, SELECTOR);
    const read = (input: Hex) => {
      try {
        const decoded = decodeValues(values, new AbiData(input, SELECTOR), () => new Error());
        const called = inputs.map((each, at) => {
          return {
            name: each.name ?? '',
            value: valueText(each, decoded[at]),
            type: (values[at] as Encoded).codec.type,
          };
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
