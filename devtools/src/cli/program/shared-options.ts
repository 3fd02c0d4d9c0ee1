import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import type { Context, ExitCode } from '../context.js';
import { type MoreHelp, moreHelp } from './help.js';
import { choice, choices, integer, number, text, url } from './options.js';

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

// Options that several commands have. Each command creates its own, because an option counts how often it was given.

/** Where `send` and `replay` send without a URL. */
export const DEFAULT_URL = 'http://127.0.0.1:3000/webhooks';

export const EVENT_KINDS = ['event.emitted', 'transaction.included'] as const;

export const port = (what: string) => integer('--port <port>', `Port of ${what}; 0 picks a free one`, 0, 65535);
export const host = (what: string) =>
  text('--host <address>', `Address of ${what}; 0.0.0.0 accepts other machines`).default('127.0.0.1');

export const tolerance = () =>
  number('--tolerance <seconds>', 'Largest difference between the timestamp and the clock', 0, 1e9).default(300);

export const apiKeyFile = () =>
  text('--api-key-file <file>', 'File with the API key, - for stdin (default: WEBHOOK_API_KEY)');
const baseUrl = () => url('--base-url <url>', 'URL of the service (default: WEBHOOK_BASE_URL)');
const callTimeout = () => number('--timeout <seconds>', 'Time limit of a call to the service', 0.01, 600).default(10);

// Groups of options. Commander infers their types.

/** Adds the options of a command that calls the service. */
export const callsService = <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Options, Global>,
) => command.addOption(baseUrl()).addOption(callTimeout()).addOption(apiKeyFile());

/** Adds the options of a command that knows the headers of deliveries. */
export const namesHeaders = <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Options, Global>,
) =>
  command.addOption(
    choice(
      '--headers <names>',
      ['service', 'multibaas'],
      'Header names: X-Service-Signature and X-Service-Timestamp, or X-MultiBaas-…',
    ),
  );

/** Adds the options of a command that signs or verifies deliveries. */
export const usesSecret = <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Options, Global>,
) =>
  namesHeaders(command).addOption(
    text('--secret-file <file>', 'File with the signing secret, - for stdin (default: WEBHOOK_SECRET)'),
  );

/** Adds the options of a command that sends deliveries. */
export const sends = <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Options, Global>,
) =>
  usesSecret(
    command
      .addOption(integer('--concurrency <n>', 'Deliveries in flight at once', 1, 1000).default(1))
      .addOption(number('--timeout <seconds>', 'Time limit of a response', 0.01, 600).default(10)),
  );

/** Adds the options of a command that shows deliveries on the page. */
export const showsDeliveries = <Args extends unknown[], Options extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Options, Global>,
) =>
  command
    .addOption(new Option('--no-page', 'Do not serve the inspector page'))
    .addOption(
      integer('--page-port <port>', 'Port of the inspector page on 127.0.0.1; 0 picks a free one', 0, 65535).default(0),
    );

export const subscribe = (help: string) => choices('--subscribe <kind>', EVENT_KINDS, help);
export const receiver = () =>
  text('--receiver <file>', 'Module that exports the receiver; file.js#name for another export');
/** The end of the description of a command with --receiver. */
export const RECEIVER_MODULE =
  '--receiver imports a module, which must not start anything. It takes its default export, the export `receiver`, or the one after #.';
export const nth = () =>
  integer('--nth <n>', 'Which delivery of the recording: the number after # in the terminal and on the page', 1, 1e9);
