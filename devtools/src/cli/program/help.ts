import type { AddHelpTextContext, CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { createColors } from 'picocolors';

export const TOOL = 'event-webhooks';

/** What a command's help shows after its options. */
export interface MoreHelp {
  /** Arguments after the tool's name, each with a description. */
  readonly examples: readonly (readonly [run: string, does: string])[];
  /** Meanings of exit codes, where they differ from the usual ones. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** A titled list of terms. */
  readonly terms?: { readonly title: string; readonly rows: readonly (readonly [term: string, help: string])[] };
}

const EXIT_CODES = {
  0: 'success',
  1: 'the command ran and the answer is no',
  2: 'wrong usage, bad input, or nothing could be reached',
  130: 'ended by Ctrl+C',
};

// Commander strips the colours for terminals without them.
const colors = createColors(true);

export const helpSettings: Partial<Help> = {
  showGlobalOptions: true,
  styleTitle: (title) => colors.bold(title),
  // Without the options, which every command has.
  subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
};

const argumentTerm = (argument: { name(): string; required: boolean }) =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

/** Adds examples, exit codes and terms to the help of a command. */
export const moreHelp = ({ examples, exitCodes, terms }: MoreHelp) => {
  return ({ command }: AddHelpTextContext): string => {
    const help = (command as CommandUnknownOpts).createHelp();
    const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
    help.prepareContext({ helpWidth: width });
    const list = (title: string, rows: readonly (readonly [string, string])[]) => {
      const wide = Math.max(...rows.map(([term]) => term.length));
      return [help.styleTitle(title), ...rows.map(([term, does]) => help.formatItem(term, wide, does, help))];
    };
    const codes = Object.entries({ ...EXIT_CODES, ...exitCodes });
    return [
      ...(terms ? ['', ...list(terms.title, terms.rows)] : []),
      ...['', help.styleTitle('Examples:')],
      ...examples.map(([run, does]) => `  ${colors.dim(`# ${does}`)}\n  ${TOOL} ${run}`),
      ...['', ...list('Exit codes:', codes)],
    ].join('\n');
  };
};
