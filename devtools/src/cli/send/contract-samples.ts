import type { EventEmitted } from 'event-webhook-receiver';
import { sampleContractEvent } from 'event-webhook-receiver/testing';
import { isRecord } from '../../guards.js';
import { inputError, usageError } from '../command-error.js';
import { readAbi } from '../contract-file.js';
import type { Output } from '../output.js';

/** The options for samples of a contract's events. */
export interface AbiOptions {
  readonly abi?: string | undefined;
  readonly event?: string | undefined;
  readonly arg?: readonly string[] | undefined;
  readonly contract?: string | undefined;
}

/** An input of an event, or a component of a tuple. */
interface AbiInput {
  readonly name?: string;
  readonly type: string;
  readonly components?: readonly AbiInput[];
}

interface AbiEvent {
  readonly name: string;
  readonly inputs: readonly AbiInput[];
}

/** Longest list of sample values that is shown, and most items of a sample array. */
const [LONGEST, MOST_ITEMS] = [300, 100];

/**
 * Reads the ABI and the arguments, and returns a function that creates an event from them; undefined without `--abi`.
 *
 * @throws CommandError if the options do not fit together, or the arguments do not match the ABI.
 */
export async function contractSamples(options: AbiOptions, output: Output): Promise<(() => EventEmitted) | undefined> {
  const { abi: file, event, arg = [], contract: address } = options;
  if (file === undefined) {
    if (arg.length > 0 || event !== undefined || address !== undefined)
      throw usageError('--event, --arg and --contract need --abi.');
    return undefined;
  }
  const { abi } = await readAbi(file);
  const chosen = eventNamed(abi.filter(isEvent), event, file);
  const given = readArgs(arg, chosen);
  const samples: string[] = [];
  const values = chosen.inputs.map((input, at) => {
    const name = nameOf(input, at);
    const text = given.get(name);
    if (text !== undefined) return text;
    const value = sampleOf(input, at);
    samples.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    return value;
  });
  const text = samples.join(', ');
  if (text) output.note(`Sample values: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`);
  const { name, inputs } = chosen;
  const isNamed = inputs.every((input) => input.name);
  const args = isNamed ? Object.fromEntries(inputs.map((input, at) => [input.name, values[at]])) : values;
  const make = () => sampleContractEvent({ abi: [chosen], name, args, address } as never);
  try {
    make();
  } catch (error) {
    const message = (error as Error).message.replace('`address`', '--contract').replace('`abi`', file);
    throw inputError(message.replace(/`args\.?(.*?)`/, '--arg: $1'));
  }
  return make;
}

const isInput = (value: unknown): value is AbiInput => {
  if (!isRecord(value) || typeof value.type !== 'string') return false;
  return value.components === undefined || (Array.isArray(value.components) && value.components.every(isInput));
};
const isEvent = (item: unknown): item is AbiEvent => {
  if (!isRecord(item) || item.type !== 'event' || typeof item.name !== 'string') return false;
  return Array.isArray(item.inputs) && item.inputs.every(isInput);
};
const nameOf = ({ name }: AbiInput, position: number) => name || String(position);
const typeOf = ({ type, components = [] }: AbiInput): string =>
  type.startsWith('tuple') ? `(${components.map(typeOf).join()})${type.slice('tuple'.length)}` : type;
const signatureOf = ({ name, inputs }: AbiEvent) => `${name}(${inputs.map(typeOf).join()})`;

/** The event of that name or signature; without one, the only event. */
function eventNamed(events: readonly AbiEvent[], wanted: string | undefined, file: string): AbiEvent {
  if (events.length === 0) throw inputError(`${file} has no events.`);
  const plain = wanted?.replace(/\s+/g, '').replace(/\b(u?int)\b/g, '$1256');
  const isWanted = (event: AbiEvent) => wanted === undefined || event.name === wanted || signatureOf(event) === plain;
  const [found, ...others] = events.filter(isWanted);
  const listed = (some: readonly AbiEvent[]) => `It has ${some.map(signatureOf).join(', ')}.`;
  if (found === undefined) throw inputError(`${file} has no event ${wanted}. ${listed(events)}`);
  if (others.length === 0) return found;
  throw usageError(
    wanted === undefined
      ? `${file} has several events: choose one with --event. ${listed(events)}`
      : `Several events are named ${wanted}: choose one by its signature with --event. ${listed([found, ...others])}`,
  );
}

/** The texts of `--arg name=value`, by the name or the position of the input. */
function readArgs(texts: readonly string[], event: AbiEvent): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === '') throw usageError('--arg must be NAME=VALUE, such as value=15.');
    if (found.has(name)) throw usageError(`--arg ${name} is given twice.`);
    const names = event.inputs.map(nameOf);
    if (!names.includes(name))
      throw usageError(`${signatureOf(event)} has no input ${name}: it takes ${names.join(', ') || 'none'}.`);
    found.set(name, value);
  }
  return found;
}

const ADDRESSES = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'];
/** A sample value for an input, in a form that sampleContractEvent takes. */
function sampleOf({ name = '', type, components = [] }: AbiInput, position: number): unknown {
  const [, element, length] = /^(.*)\[(\d*)\]$/s.exec(type) ?? [];
  if (element !== undefined) {
    const items = Math.min(Number(length || 1), MOST_ITEMS);
    return Array.from({ length: items }, () => sampleOf({ name, type: element, components }, position));
  }
  if (type === 'tuple') return components.map((component) => sampleOf(component, position));
  if (type === 'address') return ADDRESSES[position % ADDRESSES.length];
  if (type === 'bool') return true;
  if (type === 'string') return name ? `sample ${name}` : 'sample';
  if (type.includes('int')) return '1';
  return `0x${'5a'.repeat(type === 'function' ? 24 : Math.min(Number(type.slice('bytes'.length)) || 4, 32))}`;
}
