import { createInterface } from 'node:readline/promises';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { DeadLetter, Receiver } from 'event-webhook-receiver';
import type { QueueDeadLetter } from 'event-webhook-receiver/queues/bullmq';
import { CommandError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import type { MoreHelp } from '../program/help.js';
import { integer } from '../program/options.js';
import * as shared from '../program/shared-options.js';
import { createProgress } from '../progress.js';
import { readReceiver } from '../reconcile/read-receiver.js';
import { fieldsText, textTable } from '../text-table.js';
import { visible } from '../visible.js';

type DeadLetters = Receiver['deadLetters'];
type Letter = QueueDeadLetter & Partial<DeadLetter>;

/** Those of a receiver or of a queue. */
interface Letters {
  list(
    options: Parameters<DeadLetters['list']>[0],
  ): Promise<{ letters: readonly Letter[]; cursor?: string | undefined }>;
  find(key: string): Promise<Letter | undefined>;
  retry(...given: Parameters<DeadLetters['retry']>): Promise<{ skipped: number; failed?: number }>;
  discard(keys: readonly string[]): Promise<string[]>;
}

const MODULE = './webhooks.js';
const yes = ['--yes', 'Do not ask'] as const;

const subcommand = <const Usage extends string>(own: shared.Own, usage: Usage, does: string) =>
  own.command(usage).description(does).addOption(shared.receiver().makeOptionMandatory());

/** A subcommand that gets the dead letters of --receiver. */
const withLetters = <
  Args extends unknown[],
  Options extends OptionValues & { readonly receiver: string },
  Global extends OptionValues,
>(
  define: (own: shared.Own) => Command<Args, Options, Global>,
  act: (letters: Letters, context: Context<Options>, ...args: Args) => Promise<ExitCode>,
  help: MoreHelp,
) =>
  shared.command(
    define,
    async (context, ...args) => {
      const found = await readReceiver(context.options.receiver, (value) => isLetters(lettersOf(value)));
      try {
        return await act(lettersOf(found), context, ...args);
      } catch (error) {
        if (error instanceof CommandError) throw error;
        throw new CommandError('ERR_CLI_UNREACHABLE', (error as Error).message);
      }
    },
    help,
  );

const lettersOf = (value: unknown): Letters => Object(value).deadLetters ?? value;
const isLetters = (value: Letters | undefined) => typeof value?.discard === 'function';

const list = withLetters(
  (own) =>
    subcommand(own, 'list', 'List dead letters').addOption(
      integer('--limit <n>', 'Largest number of letters', 1, 1e9).default(100),
    ),
  async (deadLetters, { options: { limit }, output, signal }) => {
    const rows: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = await deadLetters.list({ cursor, limit: Math.min(limit - rows.length, 1000) });
      for (const letter of page.letters) {
        rows.push(rowOf(letter));
        if (output.json) output.result(letter, '');
      }
      await output.taken();
      cursor = page.cursor;
    } while (cursor !== undefined && rows.length < limit && !signal.aborted);
    const head = ['KEY', 'SOURCE', 'ATTEMPTS', 'LAST FAILURE', 'ERROR'];
    output.print(rows.length === 0 ? 'No dead letters.' : textTable([head, ...rows]));
    if (cursor !== undefined) output.note(`There are more than ${limit}: use --limit.`);
    return rows.length === 0 ? 0 : 1;
  },
  {
    examples: [
      [`dead-letters list --receiver ${MODULE}`, 'A table of up to 100'],
      [`dead-letters list --receiver ${MODULE} --json`, 'Whole letters, one JSON document a line'],
    ],
    exitCodes: { 0: 'there are none', 1: 'there are dead letters' },
  },
);

function rowOf({ source = '', attempts, code, message, isUnknown, ...letter }: Letter): string[] {
  const error = `${code ? `${code}: ` : ''}${message}${isUnknown ? ' (unknown outcome: retry it by its key only)' : ''}`;
  const lastFailedAt = new Date(letter.lastFailedAt).toISOString();
  const cells = [letter.idempotencyKey, source, attempts ?? '', lastFailedAt, error];
  return cells.map((each) => visible(String(each), 200));
}

const show = withLetters(
  (own) => subcommand(own, 'show <key>', 'Show one dead letter, with its event'),
  async (deadLetters, { output }, key) => {
    const found = await deadLetters.find(key);
    if (!found) throw new CommandError('ERR_CLI_INPUT', 'There is no dead letter with this key.', 1);
    const { event, data = event, ...letter } = found;
    const lines = JSON.stringify(data, null, 2).split('\n');
    output.result(found, [fieldsText(letter), ...lines.map((line) => visible(line))].join('\n'));
    return 0;
  },
  {
    examples: [[`dead-letters show event.emitted:12 --receiver ${MODULE}`, 'The event and the last error']],
    exitCodes: { 1: 'there is no such letter' },
  },
);

const retry = withLetters(
  (own) =>
    subcommand(own, 'retry [keys...]', 'Run the handler for dead letters again')
      .option('--all', 'All letters, except those whose outcome is unknown')
      .option(...yes),
  async (deadLetters, context, keys) => {
    const isAll = keys.length === 0;
    if (isAll !== Boolean(context.options.all)) throw usageError('Give either keys or --all.');
    if (isAll) await confirm('Retry all dead letters?', context);
    const { output } = context;
    const progress = createProgress(output, keys.length || undefined);
    let done = 0;
    const counts = await deadLetters.retry(isAll ? {} : keys, {
      onResult({ idempotencyKey, status, error }) {
        progress.update(++done, 'retried');
        const shown = { idempotencyKey, status, ...(error && { error: { message: causeOf(error) } }) };
        const why = error ? `  ${visible(causeOf(error), 200)}` : '';
        output.result({ retried: shown }, `${status.padEnd(8)}  ${visible(idempotencyKey)}${why}`);
      },
    });
    progress.end();
    const text = Object.entries(counts).map(([what, count]) => `${count} ${what === 'failed' ? 'failed again' : what}`);
    output.result({ retriedAll: counts }, `${text.join(', ')}.`);
    return (counts.failed ?? 0) + counts.skipped > 0 ? 1 : 0;
  },
  {
    examples: [
      [`dead-letters retry event.emitted:12 --receiver ${MODULE}`, 'One, after its handler was fixed'],
      [`dead-letters retry --all --yes --receiver ${MODULE}`, 'All, without a question'],
    ],
    exitCodes: { 1: 'some have failed again, or are not dead letters' },
  },
);

/** The message of the handler's own error, if there is one. */
const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message);

const discard = withLetters(
  (own) =>
    subcommand(own, 'discard <keys...>', 'Remove dead letters, whose events then count as handled').option(...yes),
  async (deadLetters, context, keys) => {
    await confirm(`Discard ${keys.length} dead letters? Their events will not be handled.`, context);
    const discarded = await deadLetters.discard(keys);
    context.output.result({ discarded }, `${discarded.length} of ${keys.length} discarded.`);
    return discarded.length === keys.length ? 0 : 1;
  },
  {
    examples: [[`dead-letters discard event.emitted:12 --receiver ${MODULE}`, 'After a question']],
    exitCodes: { 1: 'some are not dead letters' },
  },
);

/** Asks on a terminal. Throws CommandError unless the answer is yes. */
async function confirm(
  question: string,
  { options, terminal, stdin, output }: Context<{ yes?: true | undefined }>,
): Promise<void> {
  if (options.yes) return;
  if (terminal === undefined) throw usageError('There is no terminal to ask on: use --yes.');
  const lines = createInterface({ input: stdin });
  output.print(`${question} [y/N]`);
  try {
    const { value } = await lines[Symbol.asyncIterator]().next();
    if (/^y(es)?$/i.test(String(value ?? '').trim())) return;
  } finally {
    lines.close();
  }
  throw new CommandError('ERR_CLI_INPUT', 'Nothing was changed.', 1);
}

export const command: shared.AddCommand = (own, start) => {
  const queues = 'For a queue, export what bullmqDeadLetters or pgBossDeadLetters returns.';
  own.description(`${own.summary()}.\n\n${shared.RECEIVER_MODULE} ${queues}`);
  for (const add of [list, show, retry, discard]) add(own, start);
};
