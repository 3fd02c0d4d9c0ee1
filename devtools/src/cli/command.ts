// A command of `event-webhooks`. To add one, say `listen`:
//
// 1. Write src/cli/commands/listen.ts:
//
//      export const listen = defineCommand({
//        name: 'listen',                       // as it is called: 'webhooks list' for a command of a group
//        summary: 'Receive deliveries and print them',
//        details: ['A paragraph of the help.'],
//        arguments: [],                        // positionals, in order: [{ name: 'url', required: false, help: '…' }]
//        flags: {
//          port: { type: 'number', placeholder: 'port', min: 0, max: 65535, whole: true, default: 3000, help: '…' },
//          record: { type: 'text', placeholder: 'file', help: '…' },
//          ...secretFlags,                     // shared tables of flags: secrets.ts, header-flags.ts, service.ts
//          ...headerFlags,
//        },
//        examples: [{ run: 'listen --port 3000', does: 'Wait for deliveries at http://127.0.0.1:3000/webhooks' }],
//        exitCodes: { 0: 'it was ended by Ctrl+C', 1: '…' },      // beside what every command has; optional
//        async run({ flags, args, output, env, stdin, signal, now }) {
//          const secret = await readSecret({ flags, env, output });
//          await untilAborted(signal);         // Ctrl+C, SIGTERM and a closed stdout abort it: clean up, then return
//          return 0;
//        },
//      });
//
//    `flags` is typed by the table. `--json`, `--help` and `--version` are there for every command.
// 2. Add its line to src/cli/command-table.ts, with `load: async () => (await import('./commands/listen.js')).listen`. What a
//    command imports is then loaded for it alone.
//
// Rules: print through `output` alone (result, print, note), text from elsewhere through `visible`; throw a CommandError
// (command-error.ts) for what ends the command; take secrets from secrets.ts alone; leave nothing open when it returns,
// for nothing calls process.exit.
import type { Readable } from 'node:stream';
import type { FlagTable, FlagValues } from './flags.js';
import type { Output } from './output.js';

/** 0 fine; 1 it ran and the answer is no; 2 wrong usage, bad input, or nobody there. */
export type ExitCode = 0 | 1 | 2;

/** A positional of a command. */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly help: string;
}

/** A line of the help that can be run as it stands, after `event-webhooks`. */
export interface Example {
  readonly run: string;
  readonly does: string;
}

/** What a command is given when it runs. */
export interface CommandContext<Flags extends FlagTable> {
  readonly flags: FlagValues<Flags>;
  /** The positionals, as many as the command has. */
  readonly args: readonly (string | undefined)[];
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  /** Aborted on Ctrl+C, on SIGTERM, and when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  /** The clock, in Unix milliseconds. */
  readonly now: () => number;
}

export interface Command<Flags extends FlagTable = FlagTable> {
  readonly name: string;
  readonly summary: string;
  readonly details?: readonly string[];
  /** Lists of the help beside those that every command has. */
  readonly sections?: readonly { readonly title: string; readonly rows: readonly (readonly [string, string])[] }[];
  readonly arguments: readonly Argument[];
  readonly flags: Flags;
  readonly examples: readonly Example[];
  readonly exitCodes?: Readonly<Partial<Record<ExitCode, string>>>;
  run(context: CommandContext<Flags>): Promise<ExitCode>;
}

/** A command, whose flags are typed by its own table. */
export const defineCommand = <const Flags extends FlagTable>(command: Command<Flags>): Command<Flags> => command;

/** What the tool knows of a command before it loads it. */
export interface CommandEntry {
  readonly summary: string;
  readonly load?: () => Promise<AnyCommand>;
  /** The commands of a group, such as `list` of `webhooks`. */
  readonly commands?: CommandTable;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

/** A command whose flags are not known by their types. */
export type AnyCommand = Omit<Command, 'run'> & { run(context: CommandContext<never>): Promise<ExitCode> };

/** Resolves once a signal is aborted. */
export const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
