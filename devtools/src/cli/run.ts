import type { Readable } from 'node:stream';
import { isWebhookError } from 'event-webhook-receiver';
import { closest } from './closest.js';
import type { AnyCommand, CommandEntry, CommandTable, ExitCode } from './command.js';
import { CommandError, usageError } from './command-error.js';
import { readFlags } from './flags.js';
import { commandHelp, commandHelpJson, commonFlags, everyCommand, TOOL, tableHelp } from './help.js';
import { createOutput, type Output, type Sink } from './output.js';
import { version } from './version.js';

/** What a run of the tool touches of the world. */
export interface World {
  /** What stands after the tool's name. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Runs one command to its end and says how it went. Never rejects. */
export async function run(world: World, table: CommandTable): Promise<ExitCode> {
  const json = beforeEnd(world.args).includes('--json');
  const output = createOutput(world.stdout, world.stderr, { env: world.env, json, name: TOOL });
  try {
    return await dispatch(world, table, output);
  } catch (error) {
    // Whatever was cut off by the end is no failure of its own.
    if (world.signal.aborted) return 1;
    if (isWebhookError(error)) {
      output.error(error.code, error.message.replaceAll('baseUrl', 'the base URL'));
      return error.code === 'ERR_WEBHOOK_API' ? 1 : 2;
    }
    if (error instanceof CommandError) {
      output.error(error.code, error.message);
      return error.exitCode;
    }
    const what = error instanceof Error ? error.stack : String(error);
    output.error('ERR_CLI_INTERNAL', `This is a fault of the tool, please report it: ${what}`);
    return 2;
  }
}

/** The arguments up to `--`, after which nothing is a flag. */
const beforeEnd = (args: readonly string[]) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args);
const asksForHelp = (args: readonly string[]) => beforeEnd(args).some((each) => each === '--help' || each === '-h');

async function dispatch(world: World, table: CommandTable, output: Output): Promise<ExitCode> {
  const { names, entry, rest } = find(world.args, table);
  const name = names.join(' ');
  if (entry.load) {
    const command = await entry.load();
    if (!asksForHelp(rest)) return await runCommand(command, rest, world, output);
    output.result(commandHelpJson(command), commandHelp(command, output.colors, output.columns));
    return 0;
  }
  if (asksForHelp(rest)) {
    showTable(entry.commands ?? {}, name, output);
    return 0;
  }
  const given = rest.filter((each) => each !== '--json');
  if (name === '' && given[0] === '--version' && given.length === 1) {
    output.result({ name: TOOL, version: version() }, version());
    return 0;
  }
  const commands = Object.keys(entry.commands ?? {}).join(', ');
  const missing = name === '' ? 'A command comes first' : `${name} needs one of its commands`;
  throw usageError(`${missing}: ${commands}. See ${[TOOL, ...names].join(' ')} --help.`);
}

/** Follows the first words through the table and its groups. `help send` is `send --help`. */
function find(args: readonly string[], table: CommandTable) {
  const names: string[] = [];
  let entry: CommandEntry = { summary: '', commands: table };
  let rest = args[0] === 'help' ? [...args.slice(1), '--help'] : [...args];
  while (entry.commands) {
    // `--json` may also come before the command; run() has seen it.
    while (rest[0] === '--json') rest = rest.slice(1);
    const [name] = rest;
    if (name === undefined || name.startsWith('-')) break;
    const next: CommandEntry | undefined = Object.hasOwn(entry.commands, name) ? entry.commands[name] : undefined;
    if (next === undefined) {
      const known = Object.keys(entry.commands);
      const near = closest(name, known);
      const hint = near === undefined ? `The commands are ${known.join(', ')}.` : `Did you mean ${near}?`;
      throw usageError(`${[TOOL, ...names].join(' ')} has no such command. ${hint}`);
    }
    names.push(name);
    entry = next;
    rest = rest.slice(1);
  }
  return { names, entry, rest };
}

function showTable(table: CommandTable, group: string, output: Output): void {
  const prefix = group === '' ? '' : `${group} `;
  const commands = everyCommand(table, prefix).map(([name, { summary }]) => ({ name, summary }));
  const text = tableHelp(commands, prefix, output.colors, output.columns);
  output.result({ name: TOOL, version: version(), commands }, text);
}

async function runCommand(
  command: AnyCommand,
  args: readonly string[],
  { env, stdin, signal, now }: World,
  output: Output,
): Promise<ExitCode> {
  const { flags, positionals } = readFlags(args, { ...command.flags, ...commonFlags });
  const { arguments: expected, name } = command;
  const help = `See ${TOOL} ${name} --help.`;
  if (positionals.length > expected.length) {
    const names = expected.map((each) => each.name).join(', ');
    const many = expected.length === 0 ? 'no arguments' : `${expected.length} at most (${names})`;
    throw usageError(
      `${name} takes ${many}, and ${positionals.length} ${positionals.length === 1 ? 'is' : 'are'} given. ${help}`,
    );
  }
  const missing = expected.find(({ required }, index) => required && !positionals[index]);
  if (missing !== undefined) throw usageError(`${name} needs <${missing.name}>. ${help}`);
  return await command.run({ flags: flags as never, args: positionals, output, env, stdin, signal, now });
}
