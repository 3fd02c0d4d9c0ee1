import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../command-error.js';
import type { Output, Sink } from '../output.js';
import { version } from '../version.js';
import { helpSettings, moreHelp, TOOL } from './help.js';
import type { AddCommand, Own, Program, Start } from './shared-options.js';

/** An entry in the list of commands: its name and arguments, and a module that is loaded when it is used. */
export type Listed = readonly [usage: string, summary: string, load: () => Promise<{ readonly command: AddCommand }>];

export const COMMANDS: readonly Listed[] = [
  ['listen', 'Receive deliveries, verify them, and print and show them', () => import('../commands/listen.js')],
  ['send [url]', 'Send signed deliveries to a receiver: samples, or a file', () => import('../commands/send.js')],
  [
    'replay <recording> [url]',
    'Send the deliveries of a recording again, with the time between them',
    () => import('../commands/replay.js'),
  ],
  [
    'init [folder]',
    'Write a project, or a receiver for the project that is there',
    () => import('../commands/init.js'),
  ],
  ['certify [url]', 'Test a receiver in any language, and print a scorecard', () => import('../commands/certify.js')],
  ['explain', 'Explain why a delivery does not verify, and how to fix it', () => import('../commands/explain.js')],
  [
    'emulate',
    'Run the service on this machine: registration, signed deliveries, and a chain to watch',
    () => import('../commands/emulate.js'),
  ],
  ['reorg', 'Make a re-org: replace the last blocks of an anvil chain', () => import('../commands/reorg.js')],
  [
    'register <url>',
    'Register a webhook with the service and get its signing secret',
    () => import('../commands/register.js'),
  ],
  ['webhooks', 'Manage registered webhooks', () => import('../commands/webhooks.js')],
  [
    'reconcile',
    'Find the events of a chain that never arrived, without handling them',
    () => import('../commands/reconcile.js'),
  ],
  ['status <id>', 'Show whether an event arrived, when, and its result', () => import('../commands/status.js')],
  [
    'dead-letters',
    'List, retry and discard the events whose handler failed for good',
    () => import('../commands/dead-letters.js'),
  ],
];

/** The command line as a commander program. It prints help and version, and throws errors. */
export async function createProgram(
  args: readonly string[],
  commands: readonly Listed[],
  { output, stdout, stderr, start }: { output: Output; stdout: Sink; stderr: Sink; start: Start },
): Promise<Program> {
  const width = () => Math.min(output.columns, 110);
  const hasColors = () => output.colors.isColorSupported;
  const program = new Command(TOOL)
    .description(
      'Send, receive, explain and register signed on-chain event webhooks, and run the service locally.\n\nSecrets come from WEBHOOK_SECRET and WEBHOOK_API_KEY or from files, never from an option, and are not printed.',
    )
    .option('--json', 'Print JSON, one document a line; errors too, on stderr')
    .version(version(), '--version', 'Print the version')
    .helpOption('-h, --help', 'Print the help of a command')
    .helpCommand('help [command]', 'Print the help of a command')
    .exitOverride()
    .configureHelp(helpSettings)
    .configureOutput({
      ...{ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text), outputError: () => {} },
      ...{ getOutHelpWidth: width, getErrHelpWidth: width, getOutHasColors: hasColors, getErrHasColors: hasColors },
    })
    .hook('preAction', (_, command) => refuseSwallowed(command, args));
  for (const [usage, summary, load] of commands) {
    const name = usage.split(' ', 1)[0] as string;
    const isUsed = args.includes(name);
    const own = program
      .command(isUsed ? name : usage)
      .summary(summary)
      .description(summary);
    if (isUsed) (await load()).command(own as Own, start);
  }
  program.addHelpText(
    'after',
    moreHelp({
      examples: [
        ['listen', 'Receive deliveries and see why one is refused'],
        ['send --tamper all', 'Check that a receiver refuses forged deliveries'],
      ],
    }),
  );
  return program;
}

/** Refuses an option that commander took as the value of the option before it. */
function refuseSwallowed(command: CommandUnknownOpts, args: readonly string[]): void {
  for (const option of command.options) {
    const given = [command.getOptionValue(option.attributeName())].flat();
    for (const value of given) {
      if (typeof value !== 'string' || value.length < 2 || !value.startsWith('-')) continue;
      if (args.includes(`${option.long}=${value}`)) continue;
      throw usageError(`${option.long} needs a value. For one that starts with a dash, use ${option.long}=….`);
    }
  }
}
