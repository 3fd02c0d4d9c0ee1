import { Option } from '@commander-js/extra-typings';
import { usageError } from '../command-error.js';
import { fullUrl } from '../urls.js';

// Options for commander with our own checks: commander's messages quote the value, which may be a misplaced secret.

/** Reads a value, or throws a usage error that names the option. */
type Read<Value> = (value: string, name: string) => Value;

function checked<Value>(flags: string, value: string, read: Read<Value>): Value {
  const name = flags.split(' ', 1)[0] as string;
  if (value === '') throw usageError(`${name} must not be empty.`);
  return read(value, name);
}

/** An option with one value: the last one given. */
const single = <const Flags extends string, Value>(flags: Flags, help: string, read: Read<Value>) =>
  new Option(flags, help).argParser((value: string): Value => checked(flags, value, read));

/** An option that may be given several times. */
const repeated = <const Flags extends string, Value>(flags: Flags, help: string, read: Read<Value>) =>
  new Option(flags, `${help} (repeatable)`).argParser(
    (value: string, previous: readonly Value[] | undefined): readonly Value[] | undefined => [
      ...(previous ?? []),
      checked(flags, value, read),
    ],
  );

const asText = (value: string): string => value;

const oneOf =
  <Choice extends string>(choices: readonly Choice[]): Read<Choice> =>
  (value, name) => {
    if ((choices as readonly string[]).includes(value)) return value as Choice;
    throw usageError(`${name} must be one of ${choices.join(', ')}.`);
  };

const between =
  (form: RegExp, what: string, min: number, max: number): Read<number> =>
  (value, name) => {
    if (form.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    throw usageError(`${name} must be ${what} from ${min} to ${max}.`);
  };

/** An option whose value is any text that is not empty. */
export const text = <const Flags extends string>(flags: Flags, help: string) => single(flags, help, asText);

/** Like `text`, but repeatable. */
export const texts = <const Flags extends string>(flags: Flags, help: string) => repeated(flags, help, asText);

/** An option whose value is a URL, or a port of this machine. */
export const url = <const Flags extends string>(flags: Flags, help: string) => single(flags, help, fullUrl);

/** An option whose value is one of a few words, which the help names. */
export const choice = <const Flags extends string, const Choice extends string>(
  flags: Flags,
  choices: readonly Choice[],
  help: string,
) => single(flags, help, oneOf(choices));

/** Like `choice`, but repeatable. */
export const choices = <const Flags extends string, const Choice extends string>(
  flags: Flags,
  allowed: readonly Choice[],
  help: string,
) => repeated(flags, help, oneOf(allowed));

/** An option whose value is a number in decimal digits. */
export const number = <const Flags extends string>(flags: Flags, help: string, min: number, max: number) =>
  single(flags, help, between(/^\d{1,15}(\.\d{1,9})?$/, 'a number', min, max));

/** Like `number`, but without a fraction. */
export const integer = <const Flags extends string>(flags: Flags, help: string, min: number, max: number) =>
  single(flags, help, between(/^\d{1,15}$/, 'a whole number', min, max));
