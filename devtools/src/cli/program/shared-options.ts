import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Context, ExitCode } from '../context.js';
import { type MoreHelp, moreHelp } from './help.js';
import { choice, integer, number, text, url } from './options.js';

/** The program before a command is added to it. */
export type Program = Command<[], { json?: true }>;

/** Runs a command with its options. */
export type Start = <Options>(options: Options, act: (context: Context<Options>) => Promise<ExitCode>) => Promise<void>;

/** A command of the program, with its name and summary. */
// biome-ignore lint/complexity/noBannedTypes: the type of commander
export type Own = Command<[], {}, { json?: true }>;

/** Defines a command: its options, its help, and what runs. */
export type AddCommand = (command: Own, start: Start) => void;

/** The options that a definition gives a command. */
export type OptionsOf<Define extends (command: Own) => { opts(): unknown }> = ReturnType<ReturnType<Define>['opts']>;

/** A command from its definition, what runs, with its arguments after the context, and the end of its help. */
export const command =
  <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
    define: (own: Own) => Command<Args, Options, Global>,
    run: (context: Context<Options>, ...args: Args) => Promise<ExitCode>,
    help: MoreHelp,
  ): AddCommand =>
  (own, start) => {
    const defined = define(own).addHelpText('after', moreHelp(help));
    const act = () => start(defined.opts(), (context) => run(context, ...(defined.processedArgs as Args)));
    defined.action(act as never);
  };

// Options that several commands have.

/** Where `send` and `replay` send without a URL. */
export const DEFAULT_URL = 'http://127.0.0.1:3000/webhooks';

export const port = (what: string, usual: number) =>
  integer('--port <port>', `Port of ${what} on 127.0.0.1; 0 picks a free one`, 0, 65535).default(usual);
export const baseUrl = url('--base-url <url>', 'URL of the service (default: WEBHOOK_BASE_URL)');
export const apiKeyFile = text(
  '--api-key-file <file>',
  'File with the API key, - for stdin (default: WEBHOOK_API_KEY)',
);
export const headers = choice(
  '--headers <names>',
  ['service', 'multibaas'],
  'Header names: service (X-Service-…) or multibaas (X-MultiBaas-…)',
);
export const secretFile = text(
  '--secret-file <file>',
  'File with the signing secret, - for stdin (default: WEBHOOK_SECRET)',
);
export const concurrency = integer('--concurrency <n>', 'Deliveries in flight at once', 1, 1000).default(1);
export const timeout = number('--timeout <seconds>', 'Time limit of a response', 0.01, 600).default(10);
export const nth = integer(
  '--nth <n>',
  'Which delivery of the recording: the number after # in the terminal and on the page',
  1,
  1e9,
);
export const receiver = () =>
  text('--receiver <file>', 'Module that exports the receiver; file.js#name for another export');
/** The end of the description of a command with --receiver. */
export const RECEIVER_MODULE =
  '--receiver imports a module, which must not start anything. It takes its default export, the export `receiver`, or the one after #.';
