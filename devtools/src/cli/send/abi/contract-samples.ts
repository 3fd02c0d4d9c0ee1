import type { EventEmitted } from 'event-webhook-receiver';
import { sampleContractEvent } from 'event-webhook-receiver/testing';
import { inputError, usageError } from '../../command-error.js';
import { readAbi } from '../../contract-file.js';
import type { Output } from '../../output.js';
import { type AbiEvent, type AbiInput, eventsNamed, listed } from './abi-event.js';
import { sampleValue } from './sample-value.js';
import { splitArgs, type WrittenArg } from './split-args.js';

/** The options for samples of a contract's events. */
export interface AbiOptions {
  readonly abi?: string | undefined;
  readonly event?: string | undefined;
  readonly args?: string | undefined;
  readonly decimals?: number | undefined;
  readonly contract?: string | undefined;
  readonly removed?: true | undefined;
}

/** Longest list of sample values that is shown. */
const LONGEST = 300;

/**
 * Reads the ABI and the arguments, and returns a function that creates an event from them; undefined without `--abi`.
 *
 * @throws CommandError if the options do not fit together, or the arguments do not match the ABI.
 */
export async function contractSamples(options: AbiOptions, output: Output): Promise<(() => EventEmitted) | undefined> {
  const { abi: file, event, args, decimals, contract: address, removed } = options;
  if (file === undefined) {
    if ([event, args, decimals, address, removed].some((option) => option !== undefined))
      throw usageError('--event, --args, --decimals, --contract and --removed need --abi.');
    return undefined;
  }
  const { abi } = await readAbi(file);
  const written = splitArgs(args ?? '');
  const chosen = choose(eventsNamed(abi, event, file), written);
  const scaled = written.map((arg, at) => ({ ...arg, text: inBaseUnits(chosen, arg, at, decimals) }));
  if (decimals !== undefined && !scaled.some(({ text }, at) => text !== written[at]?.text))
    throw usageError('--decimals applies to numbers with a decimal point. Write value=2.0, or leave --decimals out.');
  const values = valuesOf(chosen, scaled, output);
  const { name, inputs } = chosen;
  const given = inputs.every((input) => input.name !== '')
    ? Object.fromEntries(inputs.map((input, at) => [input.name, values[at]]))
    : values;
  const sample = { abi: [chosen.item] as readonly unknown[], name, args: given, address, removed };
  const make = () => sampleContractEvent(sample as never);
  try {
    make();
  } catch (error) {
    const message = (error as Error).message.replace('`address`', '--contract').replace('`abi`', file);
    throw inputError(message.replace(/`args\.?(.*?)`/, '--args: $1'));
  }
  return make;
}

/** The event that has the inputs of the arguments. */
function choose(events: readonly [AbiEvent, ...AbiEvent[]], args: readonly WrittenArg[]): AbiEvent {
  const [first] = events;
  const has = ({ inputs }: AbiEvent) =>
    args.length <= inputs.length &&
    args.every(({ name }) => name === undefined || inputs.some((input) => input.name === name));
  const [found, ...others] = events.filter(has);
  if (found !== undefined && others.length === 0) return found;
  if (events.length > 1)
    throw usageError(
      `Several events are named ${first.name}: choose one by its signature with --event. ${listed(events)}`,
    );
  const unknown = args.find(({ name }) => name !== undefined && !first.inputs.some((input) => input.name === name));
  const inputs = first.inputs.map(({ name }, at) => name || `#${at}`).join(', ');
  throw usageError(
    `${unknown ? `${first.signature} has no input ${unknown.name}` : `${first.signature} has ${first.inputs.length} inputs, and --args ${args.length}`}: it takes ${inputs || 'none'}.`,
  );
}

const inputOf = ({ inputs }: AbiEvent, { name }: WrittenArg, at: number) =>
  (name === undefined ? inputs[at] : inputs.find((input) => input.name === name)) as AbiInput;

/** An argument with a decimal point as an integer. */
function inBaseUnits(event: AbiEvent, arg: WrittenArg, at: number, decimals: number | undefined): string {
  const { text, name = `argument ${at + 1}` } = arg;
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)\.(\d+)$/.exec(text) ?? [];
  if (whole === undefined || !/^u?int\d*$/.test(inputOf(event, arg, at).type)) return text;
  if (decimals === undefined)
    throw usageError(
      `${name}: ${text} is not a whole number. Give the decimals of the token with --decimals, such as 18.`,
    );
  if (fraction.length > decimals) throw usageError(`${name}: ${text} has more than ${decimals} decimals.`);
  return sign + BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** The values of all inputs in order: the given ones, and samples for the others, with a note. */
function valuesOf(event: AbiEvent, args: readonly WrittenArg[], output: Output): unknown[] {
  const samples: string[] = [];
  const values = event.inputs.map((input, at) => {
    const given = args.find((arg, position) => (arg.name === undefined ? position === at : arg.name === input.name));
    if (given) return given.text;
    const value = sampleValue(input, at);
    samples.push(`${input.name || `#${at}`}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
    return value;
  });
  const text = samples.join(', ');
  if (text) output.note(`Sample values: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`);
  return values;
}
