import type { Readable } from 'node:stream';
import { CommanderError } from '@commander-js/extra-typings';
import { CommandError, usageError } from './command-error.js';
import type { ExitCode } from './context.js';
import { createOutput, type Output, type Sink } from './output.js';
import { COMMANDS, createProgram, type Listed } from './program/create-program.js';
import { TOOL } from './program/help.js';
import type { Host, KeySource } from './terminal/keyboard.js';

/** The inputs and outputs of the tool. */
export interface World {
  /** The arguments after the tool's name. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The process, for commands that read keys from a terminal. */
  readonly host?: Host | undefined;
}

/** Runs one command to its end and resolves with the exit code. Never rejects. */
export async function run(world: World, commands: readonly Listed[] = COMMANDS): Promise<ExitCode> {
  const { args, env, stdin, stdout, stderr, signal, now, host } = world;
  const end = args.indexOf('--');
  const json = args.slice(0, end < 0 ? undefined : end).includes('--json');
  const output = createOutput(stdout, stderr, { env, json, name: TOOL });
  const keys = stdin.isTTY ? (stdin as KeySource) : undefined;
  const terminal = output.isTerminal && keys && host ? { stdin: keys, stdout, host } : undefined;
  let exitCode: ExitCode = 0;
  let printed = '';
  try {
    const program = await createProgram(args, commands, {
      output,
      print: (text) => {
        printed += text;
      },
      start: async (options, act) => {
        exitCode = await act({ options, output, env, stdin, terminal, signal, now });
      },
    });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // After an abort, the error is a consequence of it.
    if (signal.aborted) return 1;
    if (!(error instanceof CommanderError)) return await report(error, output);
    if (error.exitCode === 0) {
      const text = printed.trimEnd();
      output.result(error.code === 'commander.version' ? { name: TOOL, version: text } : { help: text }, text);
      return 0;
    }
    if (error.code !== 'commander.help') return await report(toUsageError(error), output);
    if (json) output.error('ERR_CLI_USAGE', 'A command is missing. See --help.');
    else stderr.write(printed);
    return 2;
  }
}

async function report(error: unknown, output: Output): Promise<ExitCode> {
  if (error instanceof CommandError) {
    output.error(error.code, error.message);
    return error.exitCode;
  }
  // Loaded here, so that help starts sooner.
  const { isWebhookError } = await import('event-webhook-receiver');
  if (isWebhookError(error)) {
    output.error(error.code, error.message.replaceAll('baseUrl', 'the base URL'));
    return error.code === 'ERR_WEBHOOK_API' ? 1 : 2;
  }
  const what = error instanceof Error ? error.stack : String(error);
  output.error('ERR_CLI_INTERNAL', `Bug in ${TOOL}, please report it: ${what}`);
  return 2;
}

/** Options that people try for a secret, and what to use instead. */
const SECRETS: Readonly<Record<string, string>> = {
  '--secret': 'set WEBHOOK_SECRET or use --secret-file',
  '--other-secret': 'use --other-secret-file LABEL=FILE',
  '--api-key': 'set WEBHOOK_API_KEY or use --api-key-file',
  '--token': 'set WEBHOOK_API_KEY or use --api-key-file',
};

/** Words of up to 15 letters: a secret is longer. */
const COMMAND = /^error: unknown command '([a-z-]{1,15})'/;

/** A usage error of commander as ours, without the values that commander quotes: one may be a misplaced secret. */
function toUsageError({ code, message }: CommanderError): CommandError {
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
