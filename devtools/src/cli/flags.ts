import { parseArgs } from 'node:util';
import { closest } from './closest.js';
import { CommandError, usageError } from './command-error.js';

/** A flag that is there or not. `--no-NAME` turns it off. */
export interface BooleanFlag {
  readonly type: 'boolean';
  readonly help: string;
}

/** A flag with a text, which stays the text that it is. */
export interface TextFlag {
  readonly type: 'text';
  /** What stands for the value in the help, such as `file`. */
  readonly placeholder: string;
  readonly help: string;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** It may be given several times. */
  readonly multiple?: true;
}

/** A flag with a number in decimal digits. */
export interface NumberFlag {
  readonly type: 'number';
  readonly placeholder: string;
  readonly help: string;
  readonly min: number;
  readonly max: number;
  /** Whether a fraction is refused. */
  readonly whole?: true;
  readonly default?: number;
}

export type Flag = BooleanFlag | TextFlag | NumberFlag;
export type FlagTable = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F extends BooleanFlag
  ? boolean | undefined
  : F extends NumberFlag
    ? F extends { default: number }
      ? number
      : number | undefined
    : F extends { multiple: true }
      ? readonly string[]
      :
          | (F extends { choices: readonly (infer Choice)[] } ? Choice : string)
          | (F extends { default: string } ? never : undefined);

/** What the flags of a table are read to. A boolean that was not given is undefined. */
export type FlagValues<Flags extends FlagTable> = { readonly [Name in keyof Flags]: ValueOf<Flags[Name]> };

/** Names under which people look for a flag that takes the secret itself. */
const SECRETS: Readonly<Record<string, string>> = {
  secret: 'set WEBHOOK_SECRET or give --secret-file',
  'other-secret': 'give --other-secret-file LABEL=FILE',
  'api-key': 'set WEBHOOK_API_KEY or give --api-key-file',
  token: 'set WEBHOOK_API_KEY or give --api-key-file',
};

/**
 * Reads what stands after a command's name. Every flag must be one of the table, with a value where it takes one.
 *
 * @throws CommandError `ERR_CLI_USAGE`. The message quotes no value, which may be a secret in the wrong place.
 */
export function readFlags<Flags extends FlagTable>(
  args: readonly string[],
  table: Flags,
): { flags: FlagValues<Flags>; positionals: readonly string[] } {
  const options = Object.entries(table).map(([name, flag]) => [
    name,
    { type: flag.type === 'boolean' ? 'boolean' : 'string' } as const,
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, on } = flagOf(token.name, token.rawName, table);
    const value = on === undefined ? given(token, table[name]) : noValue(token, on);
    if (values.has(name) && !(table[name] as TextFlag).multiple) {
      throw usageError(`--${name} is given twice: give it once.`);
    }
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const flags = Object.entries(table).map(([name, flag]) => [name, readValue(name, flag, values.get(name))]);
  return { flags: Object.fromEntries(flags) as FlagValues<Flags>, positionals };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** The flag that is meant; `on` for those without a value. */
function flagOf(name: string, rawName: string, table: FlagTable): { name: string; on?: boolean } {
  const known = Object.hasOwn(table, name) && rawName.startsWith('--');
  if (known) return table[name]?.type === 'boolean' ? { name, on: true } : { name };
  if (name.startsWith('no-') && Object.hasOwn(table, name.slice(3)) && table[name.slice(3)]?.type === 'boolean') {
    return { name: name.slice(3), on: false };
  }
  const instead = Object.hasOwn(SECRETS, name) ? SECRETS[name] : undefined;
  if (instead !== undefined) {
    const why = 'other users see it in the list of processes, and the shell keeps it in its history';
    throw new CommandError('ERR_CLI_USAGE', `There is no ${rawName}, for ${why}: ${instead}.`);
  }
  const near = closest(name, Object.keys(table));
  throw usageError(`There is no flag ${rawName}${near === undefined ? '.' : `; did you mean --${near}?`} See --help.`);
}

function noValue({ rawName, inlineValue }: OptionToken, on: boolean): string {
  if (inlineValue) throw usageError(`${rawName} takes no value: give ${rawName} or --no-${rawName.slice(2)}.`);
  return String(on);
}

function given({ rawName, value, inlineValue }: OptionToken, flag: Flag | undefined): string {
  const placeholder = flag?.type === 'boolean' ? '' : (flag?.placeholder ?? '');
  if (value === undefined) throw usageError(`${rawName} needs a value: ${rawName} <${placeholder}>.`);
  if (!inlineValue && value.length > 1 && value.startsWith('-')) {
    throw usageError(
      `${rawName} needs a value, and a flag follows. A value that starts with a dash is given as ${rawName}=<${placeholder}>.`,
    );
  }
  if (value === '') throw usageError(`${rawName} needs a value that is not empty.`);
  return value;
}

function readValue(name: string, flag: Flag, values: readonly string[] | undefined): unknown {
  const value = values?.at(-1);
  if (flag.type === 'boolean') return value === undefined ? undefined : value === 'true';
  if (flag.type === 'number') return value === undefined ? flag.default : numberOf(name, flag, value);
  for (const each of values ?? []) {
    if (flag.choices && !flag.choices.includes(each)) {
      throw usageError(`--${name} is one of ${flag.choices.join(', ')}.`);
    }
  }
  return flag.multiple ? (values ?? []) : (value ?? flag.default);
}

function numberOf(name: string, { min, max, whole }: NumberFlag, text: string): number {
  const value = Number(text);
  const form = whole ? /^\d{1,15}$/ : /^\d{1,15}(\.\d{1,9})?$/;
  if (form.test(text) && value >= min && value <= max) return value;
  throw usageError(`--${name} is a ${whole ? 'whole ' : ''}number from ${min} to ${max}.`);
}
