import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { usageError } from '../command-error.js';
import type { Output } from '../output.js';
import { version } from '../version.js';
import { addEmulate } from './emulate.js';
import { addExplain } from './explain.js';
import { helpSettings, moreHelp, TOOL } from './help.js';
import { addListen } from './listen.js';
import { addReconcile } from './reconcile.js';
import { addRegister } from './register.js';
import { addReplay } from './replay.js';
import { addSend } from './send.js';
import type { AddCommand, Program, Start } from './shared-options.js';
import { addWebhooks } from './webhooks.js';

export const COMMANDS: readonly AddCommand[] = [
  ...[addListen, addSend, addReplay, addExplain, addEmulate],
  ...[addRegister, addWebhooks, addReconcile],
];

/** The command line, as commander parses it. Help and version are given to `print`; errors are thrown. */
export async function createProgram(
  args: readonly string[],
  commands: readonly AddCommand[],
  { output, print, start }: { output: Output; print: (text: string) => void; start: Start },
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
      ...{ writeOut: print, writeErr: print, outputError: () => {} },
      ...{ getOutHelpWidth: width, getErrHelpWidth: width, getOutHasColors: hasColors, getErrHasColors: hasColors },
    })
    .hook('preAction', (_, command) => refuseSwallowed(command, args));
  for (const add of commands) add(program, start);
  await addCompletion(program, args, output);
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

/** Commander takes an option that follows another for its value. */
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

/** The script for bash calls a function of the package bash-completion, which macOS and small systems do not have. */
const BASH_WORDS = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
    }
fi
`;

/** `completion` writes a script for a shell, which then calls the hidden `complete`. */
async function addCompletion(program: Program, args: readonly string[], output: Output): Promise<void> {
  const summary = 'Print the completion script of a shell: zsh, bash, fish or powershell';
  if (args.includes('completion') || args.includes('complete')) {
    const { default: tab } = await import('@bomb.sh/tab/commander');
    // A completion is one line: shells would offer each further line of a description as a completion.
    for (const command of program.commands) command.description(command.summary() || command.description());
    tab(program as never, { completionCommandName: 'completion' });
    program.commands
      .find((command) => command.name() === 'completion')
      ?.description(summary)
      .hook('preAction', (_, { args: [shell] }) => {
        if (shell === 'bash') output.print(BASH_WORDS);
      });
  } else {
    program.command('completion <shell>').description(summary);
  }
}
