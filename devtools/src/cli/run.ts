import type { Readable } from 'node:stream';
import { CommanderError } from '@commander-js/extra-typings';
import { CommandError, usageError } from './command-error.js';
import type { ExitCode } from './context.js';
import { createOutput, type Output, type Sink } from './output.js';
import { COMMANDS, createProgram, type Listed } from './program/create-program.js';
import { TOOL } from './program/help.js';
import type { Start } from './program/shared-options.js';
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
  try {
    const start: Start = async (options, act) => {
      exitCode = await act({ options, output, env, stdin, terminal, signal, now });
    };
    const program = await createProgram(args, commands, { output, stdout, stderr, start });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // After an abort, the error is a consequence of it.
    if (signal.aborted) return 1;
    if (!(error instanceof CommanderError)) return await report(error, output);
    // Commander has printed the help or the version.
    if (error.exitCode === 0) return 0;
    return error.code === 'commander.help' ? 2 : await report(toUsageError(error), output);
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
    output.error(
      error.code,
      error.message.replaceAll(/`?baseUrl`?/g, 'the base URL').replace('`apiKey`', 'the API key'),
    );
    return error.code === 'ERR_WEBHOOK_API' ? 1 : 2;
  }
  const what = error instanceof Error ? error.stack : String(error);
  output.error('ERR_CLI_INTERNAL', `Bug in ${TOOL}, please report it: ${what}`);
  return 2;
}

/** The start of an unknown option or command that is shown. The rest, or a longer word, may be a misplaced secret. */
const SHOWN = /^(?:--[a-z][a-z-]{0,30}(?==|$)|-\w$|[a-z-]{1,15}$)/;

/** A usage error of commander as ours, without the values that commander quotes. */
function toUsageError({ message }: CommanderError): CommandError {
  const [, kind, typed = '', suggestion] =
    /^error: unknown (command|option) '(.*)'(?:\n\(Did you mean ([^?]+)\?\))?$/s.exec(message) ?? [];
  const hint = suggestion === undefined ? 'See --help.' : `Did you mean ${suggestion}?`;
  const text = message.replace(/^error: /, '').replace(/\.?$/, '.');
  if (kind === undefined) return usageError(`${text.charAt(0).toUpperCase()}${text.slice(1)} ${hint}`);
  const [shown = ''] = SHOWN.exec(typed) ?? [];
  // Commander does not distinguish an unknown option from one that takes no value.
  if (shown && typed.includes('=')) return usageError(`${shown} is unknown or takes no value. ${hint}`);
  return usageError(`Unknown ${kind}${shown && ` ${shown}`}. ${hint}`);
}
