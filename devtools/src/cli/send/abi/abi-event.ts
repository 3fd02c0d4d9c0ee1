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
 * The event of that name or signature; without one, the only event.
 *
 * @param file Where the ABI is from, for messages.
 * @throws CommandError if the ABI has no such event, or has several.
 */
export function eventNamed(abi: readonly unknown[], wanted: string | undefined, file: string): AbiEvent {
  const events = eventsOf(abi);
  if (events.length === 0) throw inputError(`${file} has no events.`);
  const plain = wanted?.replace(/\s+/g, '').replace(/\b(u?int)\b/g, '$1256');
  const [found, ...others] =
    wanted === undefined ? events : events.filter(({ name, signature }) => name === wanted || signature === plain);
  if (found === undefined) throw inputError(`${file} has no event ${wanted}. ${listed(events)}`);
  if (others.length === 0) return found;
  throw usageError(
    wanted === undefined
      ? `${file} has several events: choose one with --event. ${listed(events)}`
      : `Several events are named ${wanted}: choose one by its signature with --event. ${listed([found, ...others])}`,
  );
}

/** The signatures of events, for a message. */
function listed(events: readonly AbiEvent[]): string {
  const signatures = [...new Set(events.map(({ signature }) => signature))];
  const shown = signatures.slice(0, MOST_LISTED).join(', ');
  const more = signatures.length - MOST_LISTED;
  return `It has ${shown}${more > 0 ? ` and ${more} more` : ''}.`;
}
