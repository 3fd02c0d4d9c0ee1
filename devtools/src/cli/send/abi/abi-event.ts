import { isRecord } from '../../../guards.js';
import { inputError, usageError } from '../../command-error.js';

/** An input of an event, or a component of a tuple. */
export interface AbiInput {
  readonly name: string;
  readonly type: string;
  readonly components: readonly AbiInput[];
}

/** An event of an ABI that was read from a file. */
export interface AbiEvent {
  readonly name: string;
  readonly inputs: readonly AbiInput[];
  /** Canonical signature. */
  readonly signature: string;
  /** The item of the ABI. */
  readonly item: object;
}

/** Deeper types are hostile input: reading them is recursive. */
const MOST_NESTED = 64;
const LONGEST_TYPE = 300;
/** How many signatures a message lists. */
const MOST_LISTED = 12;

/** The events of an ABI whose inputs are readable. Choosing another event is refused later. */
export function eventsOf(abi: readonly unknown[]): readonly AbiEvent[] {
  const found: AbiEvent[] = [];
  for (const item of abi) {
    if (!isRecord(item) || item.type !== 'event' || typeof item.name !== 'string') continue;
    const inputs = inputsOf(item.inputs, 0);
    found.push({ name: item.name, inputs, signature: `${item.name}(${inputs.map(typeOf).join(',')})`, item });
  }
  return found;
}

function inputsOf(value: unknown, depth: number): readonly AbiInput[] {
  if (!Array.isArray(value) || depth > MOST_NESTED) return [];
  return value.filter(isRecord).map(({ name, type, components }) => ({
    name: typeof name === 'string' ? name : '',
    type: typeof type === 'string' ? type.slice(0, LONGEST_TYPE) : '',
    components: inputsOf(components, depth + 1),
  }));
}

const typeOf = ({ type, components }: AbiInput): string =>
  type.startsWith('tuple') ? `(${components.map(typeOf).join(',')})${type.slice('tuple'.length)}` : type;

/**
 * The events of that name or signature; without one, the only event.
 *
 * @param file Where the ABI is from, for messages.
 * @throws CommandError if the ABI has no such event, or has several and none was named.
 */
export function eventsNamed(
  abi: readonly unknown[],
  wanted: string | undefined,
  file: string,
): readonly [AbiEvent, ...AbiEvent[]] {
  const events = eventsOf(abi);
  const [first, second] = events;
  if (first === undefined) throw inputError(`${file} has no events.`);
  if (wanted === undefined) {
    if (second === undefined) return [first];
    throw usageError(`${file} has several events: choose one with --event. ${listed(events)}`);
  }
  const plain = wanted.replace(/\s+/g, '').replace(/\b(u?int)\b/g, '$1256');
  const [found, ...others] = events.filter(({ name, signature }) => name === wanted || signature === plain);
  if (found === undefined) throw inputError(`${file} has no event ${wanted}. ${listed(events)}`);
  return [found, ...others];
}

/** The signatures of events, for a message. */
export function listed(events: readonly AbiEvent[]): string {
  const signatures = [...new Set(events.map(({ signature }) => signature))];
  const shown = signatures.slice(0, MOST_LISTED).join(', ');
  const more = signatures.length - MOST_LISTED;
  return `It has ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
