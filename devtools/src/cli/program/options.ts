import { Option } from '@commander-js/extra-typings';
import { usageError } from '../command-error.js';
import { fullUrl } from '../urls.js';

// Options for commander with our own checks: commander's messages quote the value, which may be a misplaced secret.

const longName = (flags: string): string => flags.split(' ', 1)[0] as string;

/** Checks the value of an option that may be given once. */
function single(flags: string): (value: string) => string {
  let given = false;
  return (value) => {
    if (given) throw usageError(`${longName(flags)} may only be given once.`);
    given = true;
    return notEmpty(flags, value);
  };
}

function notEmpty(flags: string, value: string): string {
  if (value === '') throw usageError(`${longName(flags)} must not be empty.`);
  return value;
}

function oneOf<Choice extends string>(flags: string, choices: readonly Choice[], value: string): Choice {
  if ((choices as readonly string[]).includes(value)) return value as Choice;
  throw usageError(`${longName(flags)} must be one of ${choices.join(', ')}.`);
}

/** An option whose value is any text that is not empty. */
export function text<const Flags extends string>(flags: Flags, help: string) {
  const check = single(flags);
  return new Option(flags, help).argParser((value: string): string => check(value));
}

/** An option whose value is a URL, or a port of this machine. */
export function url<const Flags extends string>(flags: Flags, help: string) {
  const check = single(flags);
  return new Option(flags, help).argParser((value: string): string => fullUrl(check(value)));
}

/** Like `text`, but repeatable. */
export function texts<const Flags extends string>(flags: Flags, help: string) {
  return new Option(flags, `${help} (repeatable)`).argParser(
    (value: string, previous: readonly string[] | undefined): readonly string[] | undefined => [
      ...(previous ?? []),
      notEmpty(flags, value),
    ],
  );
}

/** An option whose value is one of a few words. */
export function choice<const Flags extends string, const Choice extends string>(
  flags: Flags,
  choices: readonly Choice[],
  help: string,
) {
  const check = single(flags);
  return new Option(flags, help)
    .choices(choices)
    .argParser((value: string): Choice => oneOf(flags, choices, check(value)));
}

/** Like `choice`, but repeatable. */
export function choices<const Flags extends string, const Choice extends string>(
  flags: Flags,
  allowed: readonly Choice[],
  help: string,
) {
  return new Option(flags, `${help} (repeatable)`)
    .choices(allowed)
    .argParser((value: string, previous: readonly Choice[] | undefined): readonly Choice[] | undefined => [
      ...(previous ?? []),
      oneOf(flags, allowed, value),
    ]);
}

/** An option whose value is a number in decimal digits. */
export function number<const Flags extends string>(flags: Flags, help: string, min: number, max: number) {
  return numeric(flags, help, { min, max, form: /^\d{1,15}(\.\d{1,9})?$/, what: 'a number' });
}

/** Like `number`, but without a fraction. */
export function integer<const Flags extends string>(flags: Flags, help: string, min: number, max: number) {
  return numeric(flags, help, { min, max, form: /^\d{1,15}$/, what: 'a whole number' });
}

function numeric<const Flags extends string>(
  flags: Flags,
  help: string,
  { min, max, form, what }: { min: number; max: number; form: RegExp; what: string },
) {
  const check = single(flags);
  return new Option(flags, help).argParser((value: string): number => {
    const digits = check(value);
    if (form.test(digits) && Number(digits) >= min && Number(digits) <= max) return Number(digits);
    throw usageError(`${longName(flags)} must be ${what} from ${min} to ${max}.`);
  });
}
