import type { AnyCommand, CommandEntry, CommandTable, ExitCode } from './command.js';
import type { Flag, FlagTable } from './flags.js';
import type { Colors } from './output.js';

export const TOOL = 'event-webhooks';

/** What every command has beside its own. */
export const commonFlags = {
  json: { type: 'boolean', help: 'Print JSON, one document a line; errors too, on stderr' },
  help: { type: 'boolean', help: 'Print this help' },
} as const satisfies FlagTable;

const EXIT_CODES: Readonly<Record<ExitCode | 130, string>> = {
  0: 'fine',
  1: 'it ran, and the answer is no',
  2: 'wrong usage, bad input, or nobody there',
  130: 'ended by Ctrl+C',
};

/** Two columns, the second of which is wrapped. */
function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const left = Math.min(34, Math.max(...rows.map(([first]) => first.length)));
  return rows
    .map(([first, second]) => {
      const lines = wrap(second, Math.max(24, width - left - 4));
      const head = first.length > left ? `  ${first}\n${' '.repeat(left + 4)}` : `  ${first.padEnd(left)}  `;
      return head + lines.join(`\n${' '.repeat(left + 4)}`);
    })
    .join('\n');
}

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function flagRow(name: string, flag: Flag): readonly [string, string] {
  if (flag.type === 'boolean') return [`--${name}`, `${flag.help}.`];
  const choices = flag.type === 'text' && flag.choices ? ` One of ${flag.choices.join(', ')}.` : '';
  const several = flag.type === 'text' && flag.multiple ? ' May be given several times.' : '';
  const fallback = flag.default === undefined ? '' : ` (Default: ${flag.default}.)`;
  return [`--${name} <${flag.placeholder}>`, `${flag.help}.${choices}${several}${fallback}`];
}

export const usageOf = (command: AnyCommand): string =>
  [
    TOOL,
    command.name,
    ...command.arguments.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)),
    '[flags]',
  ].join(' ');

/** The help of one command, as text. */
export function commandHelp(command: AnyCommand, colors: Colors, width: number): string {
  const wide = Math.min(width, 110);
  const section = (title: string, text: string) => `${colors.bold(title)}\n${text}`;
  const own = Object.entries(command.flags).map(([name, flag]) => flagRow(name, flag));
  const common = Object.entries(commonFlags).map(([name, flag]) => flagRow(name, flag));
  return [
    `${command.summary}.`,
    ...(command.details ?? []).map((paragraph) => wrap(paragraph, wide).join('\n')),
    section('Usage', `  ${usageOf(command)}`),
    ...(command.arguments.length > 0
      ? [
          section(
            'Arguments',
            columns(
              command.arguments.map(({ name, help }) => [name, `${help}.`]),
              wide,
            ),
          ),
        ]
      : []),
    section('Flags', columns([...own, ...common], wide)),
    ...(command.sections ?? []).map(({ title, rows }) => section(title, columns(rows, wide))),
    section(
      'Examples',
      command.examples.map(({ run, does }) => `  ${colors.dim(`# ${does}`)}\n  ${TOOL} ${run}`).join('\n'),
    ),
    section('Exit codes', exitCodes(command)),
  ].join('\n\n');
}

const exitCodes = (command?: AnyCommand) =>
  columns(Object.entries({ ...EXIT_CODES, ...command?.exitCodes }), Number.POSITIVE_INFINITY);

/** Every command of a table by its whole name. */
export function everyCommand(table: CommandTable, prefix = ''): (readonly [string, CommandEntry])[] {
  return Object.entries(table).flatMap(([name, entry]) =>
    entry.commands ? everyCommand(entry.commands, `${prefix}${name} `) : [[`${prefix}${name}`, entry] as const],
  );
}

/** The help of the tool, or of a group of commands: `prefix` is then its name and a space. */
export function tableHelp(
  commands: readonly { readonly name: string; readonly summary: string }[],
  prefix: string,
  colors: Colors,
  width: number,
): string {
  const section = (title: string, text: string) => `${colors.bold(title)}\n${text}`;
  const wide = Math.min(width, 110);
  const rows = commands.map(({ name, summary }) => [name, `${summary}.`] as const);
  const flags = Object.entries(commonFlags).map(([name, flag]) => flagRow(name, flag));
  return [
    'Signed on-chain event webhooks: send, receive, explain and register them, and run the service locally.',
    section('Usage', `  ${TOOL} ${prefix}<command> [flags]`),
    section('Commands', columns(rows, wide)),
    section('Flags', columns(prefix === '' ? [...flags, ['--version', 'Print the version.']] : flags, wide)),
    section(
      'Examples',
      commands
        .slice(0, 3)
        .map(({ name }) => `  ${TOOL} ${name} --help`)
        .join('\n'),
    ),
    section(
      'Secrets',
      '  From WEBHOOK_SECRET and WEBHOOK_API_KEY or from files: never from a flag, and never printed.',
    ),
    section('Exit codes', exitCodes()),
  ].join('\n\n');
}

/** The same for programs. */
export const commandHelpJson = (command: AnyCommand) => ({
  name: command.name,
  summary: command.summary,
  usage: usageOf(command),
  arguments: command.arguments,
  flags: { ...command.flags, ...commonFlags },
  sections: command.sections,
  examples: command.examples.map(({ run, does }) => ({ run: `${TOOL} ${run}`, does })),
  exitCodes: { ...EXIT_CODES, ...command.exitCodes },
});
