import type { EventEmitted } from 'event-webhook-receiver';
import { sampleContractEvent } from 'event-webhook-receiver/testing';
import { inputError, usageError } from '../../command-error.js';
import { readAbi } from '../../contract-file.js';
import type { Output } from '../../output.js';
import { type AbiEvent, type AbiInput, eventNamed } from './abi-event.js';
import { sampleValue } from './sample-value.js';

/** The options for samples of a contract's events. */
export interface AbiOptions {
  readonly abi?: string | undefined;
  readonly event?: string | undefined;
  readonly arg?: readonly string[] | undefined;
  readonly contract?: string | undefined;
}

/** Longest list of sample values that is shown. */
const LONGEST = 300;

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
  const chosen = eventNamed(abi, event, file);
  const given = readArgs(arg, chosen);
  const samples: string[] = [];
  const values = chosen.inputs.map((input, at) => {
    const name = nameOf(input, at);
    const text = given.get(name);
    if (text !== undefined) return text;
    const value = sampleValue(input, at);
    samples.push(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    return value;
  });
  const text = samples.join(', ');
  if (text) output.note(`Sample values: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`);
  const { name, inputs, item } = chosen;
  const isNamed = inputs.every((input) => input.name !== '');
  const args = isNamed ? Object.fromEntries(inputs.map((input, at) => [input.name, values[at]])) : values;
  const make = () => sampleContractEvent({ abi: [item], name, args, address } as never);
  try {
    make();
  } catch (error) {
    const message = (error as Error).message.replace('`address`', '--contract').replace('`abi`', file);
    throw inputError(message.replace(/`args\.?(.*?)`/, '--arg: $1'));
  }
  return make;
}

const nameOf = ({ name }: AbiInput, position: number) => name || String(position);

/** The texts of `--arg name=value`, by the name or the position of the input. */
function readArgs(texts: readonly string[], { signature, inputs }: AbiEvent): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === '') throw usageError('--arg must be NAME=VALUE, such as value=15.');
    if (found.has(name)) throw usageError(`--arg ${name} is given twice.`);
    if (!inputs.some((each, at) => nameOf(each, at) === name)) {
      const names = inputs.map(nameOf).join(', ') || 'none';
      throw usageError(`${signature} has no input ${name}: it takes ${names}.`);
    }
    found.set(name, value);
  }
  return found;
}
