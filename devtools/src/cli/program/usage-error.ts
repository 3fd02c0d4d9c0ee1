import type { CommanderError } from '@commander-js/extra-typings';
import { type CommandError, usageError } from '../command-error.js';

/** Options with which people try to pass a secret, with what to do instead. */
const SECRETS: Readonly<Record<string, string>> = {
  '--secret': 'set WEBHOOK_SECRET or use --secret-file',
  '--other-secret': 'use --other-secret-file LABEL=FILE',
  '--api-key': 'set WEBHOOK_API_KEY or use --api-key-file',
  '--token': 'set WEBHOOK_API_KEY or use --api-key-file',
};

/** A word that is short enough for a command, and too short for a secret. */
const COMMAND = /^error: unknown command '([a-z-]{1,15})'/;

/** A usage error of commander as ours, without the values that commander quotes: one may be a misplaced secret. */
export function toUsageError({ code, message }: CommanderError): CommandError {
  const suggestion = /\(Did you mean ([^?]+)\?\)/.exec(message)?.[1];
  const hint = suggestion === undefined ? 'See --help.' : `Did you mean ${suggestion}?`;
  if (code === 'commander.unknownCommand') {
    const [, typed] = COMMAND.exec(message) ?? [];
    return usageError(`Unknown command${typed === undefined ? '' : ` "${typed}"`}. ${hint}`);
  }
  if (code === 'commander.unknownOption') return unknownOption(message, hint);
  if (code === 'commander.invalidArgument') {
    return usageError(`Invalid argument. ${/Allowed choices are .+$/m.exec(message)?.[0] ?? hint}`);
  }
  // An error of the completion, which quotes its arguments.
  if (code === 'commander.error') return usageError('Invalid arguments. See --help.');
  const text = message.replace(/^error: /, '').replace(/\.?$/, '.');
  return usageError(`${text.charAt(0).toUpperCase()}${text.slice(1)} See --help.`);
}

function unknownOption(message: string, hint: string): CommandError {
  const [, name = '', inline] = /^error: unknown option '(--[a-z][a-z-]{0,30}|-\w)(=)?/.exec(message) ?? [];
  const instead = Object.hasOwn(SECRETS, name) ? SECRETS[name] : undefined;
  if (instead !== undefined) {
    const why = 'other users would see the value in the process list, and the shell would save it in its history';
    return usageError(`There is no option ${name}: ${why}. Instead, ${instead}.`);
  }
  // Commander does not distinguish an unknown option from one that takes no value.
  if (inline) return usageError(`${name} is unknown or takes no value. ${hint}`);
  return usageError(`Unknown option${name && ` ${name}`}. ${hint}`);
}
