import { createInterface } from 'node:readline/promises';
import type { DeadLetter, Receiver } from 'event-webhook-receiver';
import type { QueueDeadLetter } from 'event-webhook-receiver/queues/bullmq';
import { CommandError, usageError } from '../command-error.js';
import type { Context, ExitCode } from '../context.js';
import { type MoreHelp, moreHelp } from '../program/help.js';
import { integer, text } from '../program/options.js';
import { type AddCommand, receiver as receiverOption } from '../program/shared-options.js';
import { createProgress } from '../progress.js';
import { readReceiver } from '../reconcile/read-receiver.js';
import { fieldsText, textTable } from '../text-table.js';
import { visible } from '../visible.js';

interface Options {
  readonly receiver?: string | undefined;
  readonly source?: string | undefined;
  readonly limit?: number | undefined;
  readonly all?: true | undefined;
  readonly yes?: true | undefined;
}

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

type Run = (keys: readonly string[], letters: Letters, context: Context<Options>) => Promise<ExitCode>;

const MODULE = './webhooks.js';
const source = () => text('--source <name>', 'Only letters of this source');
const yes = ['--yes', 'Do not ask'] as const;

export const command: AddCommand = (own, start) => {
  own.description(
    `${own.summary()}.

--receiver imports a module, which must not start anything. It takes its default export, the export \`receiver\`, or the one after #. For a queue, export what bullmqDeadLetters or pgBossDeadLetters returns.`,
  );
  const add = <const Usage extends string>(usage: Usage, does: string, help: MoreHelp) =>
    own
      .command(usage)
      .description(does)
      .addOption(receiverOption().makeOptionMandatory())
      .addHelpText('after', moreHelp(help));

  add('list', 'List dead letters', {
    examples: [
      [`dead-letters list --receiver ${MODULE}`, 'A table of up to 100'],
      [`dead-letters list --receiver ${MODULE} --json`, 'Whole letters, one JSON document a line'],
    ],
    exitCodes: { 0: 'there are none', 1: 'there are dead letters' },
  })
    .addOption(source())
    .addOption(integer('--limit <n>', 'Largest number of letters', 1, 1e9).default(100))
    .action((options) => start(options, withReceiver([], list)));

  add('show <key>', 'Show one dead letter, with its event', {
    examples: [[`dead-letters show event.emitted:12 --receiver ${MODULE}`, 'The event and the last error']],
    exitCodes: { 1: 'there is no such letter' },
  }).action((key, options) => start(options, withReceiver([key], show)));

  add('retry [keys...]', 'Run the handler for dead letters again', {
    examples: [
      [`dead-letters retry event.emitted:12 --receiver ${MODULE}`, 'One, after its handler was fixed'],
      [`dead-letters retry --all --yes --receiver ${MODULE}`, 'All, without a question'],
    ],
    exitCodes: { 1: 'some have failed again, or are no dead letters' },
  })
    .option('--all', 'All letters, except those whose outcome is unknown')
    .addOption(source())
    .option(...yes)
    .action((keys, options) => start(options, withReceiver(keys, retry)));

  add('discard <keys...>', 'Remove dead letters, whose events then count as handled', {
    examples: [[`dead-letters discard event.emitted:12 --receiver ${MODULE}`, 'After a question']],
    exitCodes: { 1: 'some are no dead letters' },
  })
    .option(...yes)
    .action((keys, options) => start(options, withReceiver(keys, discard)));
};

const withReceiver = (keys: readonly string[], act: Run) => async (context: Context<Options>) => {
  const lettersOf = (value: unknown): Letters => Object(value).deadLetters ?? value;
  const isReceiver = (value: unknown) => typeof lettersOf(value)?.discard === 'function';
  const found = await readReceiver(context.options.receiver as string, isReceiver);
  try {
    return await act(keys, lettersOf(found), context);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError('ERR_CLI_UNREACHABLE', (error as Error).message);
  }
};

const list: Run = async (_, deadLetters, { options: { source, limit = 100 }, output, signal }) => {
  const rows: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await deadLetters.list({ source, cursor, limit: Math.min(limit - rows.length, 1000) });
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
};

function rowOf({ source = '', attempts, code, message, isUnknown, ...letter }: Letter): string[] {
  const error = `${code ? `${code}: ` : ''}${message}${isUnknown ? ' (unknown outcome: retry it by its key only)' : ''}`;
  const cells = [letter.idempotencyKey, source, attempts ?? '', timeOf(letter.lastFailedAt), error];
  return cells.map((each) => visible(String(each), 200));
}

const timeOf = (ms: number) => new Date(ms).toISOString();

const show: Run = async ([key], deadLetters, { output }) => {
  const found = await deadLetters.find(key as string);
  if (!found) throw new CommandError('ERR_CLI_INPUT', 'There is no dead letter with this key.', 1);
  const { event, data = event, ...letter } = found;
  output.result(found, `${fieldsText(letter)}\n${visibleLines(data)}`);
  return 0;
};

/** JSON on several lines, each safe to print. */
const visibleLines = (value: unknown) =>
  JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => visible(line))
    .join('\n');

const retry: Run = async (keys, deadLetters, context) => {
  const { all, source } = context.options;
  if ((keys.length === 0) === (all === undefined && source === undefined)) {
    throw usageError('Give either keys, or --all or --source.');
  }
  const which = keys.length > 0 ? keys : { source };
  if (keys.length === 0)
    await confirm(`Retry all dead letters${source === undefined ? '' : ' of this source'}?`, context);
  const { output } = context;
  const progress = createProgress(output, keys.length || undefined);
  let done = 0;
  const counts = await deadLetters.retry(which, {
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
};

/** The message of the handler's own error, if there is one. */
const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message);

const discard: Run = async (keys, deadLetters, context) => {
  await confirm(`Discard ${keys.length} dead letters? Their events will not be handled.`, context);
  const discarded = await deadLetters.discard(keys);
  context.output.result({ discarded }, `${discarded.length} of ${keys.length} discarded.`);
  return discarded.length === keys.length ? 0 : 1;
};

/** Asks on a terminal. Throws CommandError unless the answer is yes. */
async function confirm(question: string, { options, terminal, stdin, output }: Context<Options>): Promise<void> {
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
