import type { Verdict } from '../../deliveries/delivery-record.js';
import type { Feed, KeptDelivery } from '../../deliveries/feed.js';
import { verdictOf } from '../../deliveries/verdict.js';
import { lastOf } from '../../deliveries/views.js';
import type { Context } from '../context.js';
import type { DeliveryPrinter } from '../delivery-printer.js';
import { visible } from '../visible.js';
import { type Key, readKeys } from './keyboard.js';
import type { LineFilter } from './line-filter.js';
import { createPageOpener } from './open-page.js';
import { statusLine } from './status-line.js';

/** What an interactive command shows and does. */
export interface InteractiveOptions {
  readonly context: Pick<Context<unknown>, 'output' | 'terminal' | 'env'>;
  readonly feed: Feed;
  readonly filter: LineFilter;
  readonly print: DeliveryPrinter['print'];
  /** Address of the page, with its token. */
  readonly page: string | undefined;
  /** Resends a delivery; rejects with a message for the user. */
  resend(record: KeptDelivery): Promise<unknown>;
  /** Replaces blocks of the chain; absent if the command has started none. Rejects with a message for the user. */
  readonly reorg?: ((depth: number) => Promise<unknown>) | undefined;
  /** Why deliveries are held back; empty if they are not. */
  held?(): string;
  quit(): void;
}

/** A question, and the function for its answer, which is undefined if Esc was pressed. */
interface Question {
  readonly prompt: string;
  text: string;
  done(text: string | undefined): unknown;
}

const REDRAW_MS = 100;
/** Up to this many deliveries are cleared without confirmation. */
const CLEARED_UNASKED = 20;
/** Number of matching deliveries to print again when the filter changes. */
const PRINTED_AGAIN = 20;

const HELP: readonly (readonly [key: string, does: string])[] = [
  ['o', 'open the page in the browser'],
  ['r', 'resend the last delivery'],
  ['f', 'filter: print only deliveries that contain a text'],
  ['c', 'clear the screen and the list of deliveries'],
  ['q', 'quit, as Ctrl+C does'],
];

const REORG = ['x', 'make a re-org: replace the last blocks of the chain'] as const;

/**
 * Shows a status line below the output and handles single keys, if input and output are a terminal in the foreground.
 *
 * @returns A function that restores the terminal.
 */
export function startInteractive(options: InteractiveOptions): () => Promise<void> {
  const { context, feed, filter, print, page } = options;
  const { output, terminal, env } = context;
  // Input that has already ended was used for a secret.
  if (terminal === undefined || !terminal.stdin.readable) return async () => {};
  const { stdin, stdout, host } = terminal;
  const opener = page === undefined ? undefined : createPageOpener(page, env);
  /** The question that the keys answer; undefined while they are commands. */
  let typing: Question | undefined;
  let isShown = false;
  let redraw: NodeJS.Timeout | undefined;

  function draw(): void {
    clearTimeout(redraw);
    redraw = undefined;
    if (!isShown) return;
    const { colors, columns } = output;
    const status = { page, counts: countsOf(feed), held: options.held?.() ?? '', filter: filter.text };
    output.footer(
      typing ? `${colors.bold(typing.prompt)} ${visible(typing.text)}` : statusLine(status, columns, colors),
    );
  }

  /** Schedules a redraw, so that a flood of deliveries does not draw for each. */
  const drawSoon = () => {
    redraw ??= setTimeout(draw, REDRAW_MS);
  };

  const commands: Readonly<Record<string, () => void>> = {
    o: () => void openPage(),
    c: clear,
    r: () => void resendLast(),
    x: () => options.reorg && ask('Blocks to replace (Enter: re-org, Esc: none):', '3', (text) => reorg(text)),
    f: () => ask('Filter (Enter: apply, Esc: all):', filter.text, (text) => setFilter(text ?? '')),
    q: options.quit,
    '?': help,
  };

  function ask(prompt: string, text: string, done: (text: string | undefined) => unknown): void {
    typing = { prompt, text, done };
    draw();
  }

  function answer(text: string | undefined): void {
    const asked = typing as Question;
    typing = undefined;
    asked.done(text);
    draw();
  }

  function onKey({ text, name }: Key): void {
    if (typing === undefined) commands[text]?.();
    else if (name === 'return' || name === 'enter') answer(typing.text);
    else if (name === 'escape') answer(undefined);
    else {
      if (name === 'backspace') typing.text = [...typing.text].slice(0, -1).join('');
      else if (visible(text) === text) typing.text += text;
      draw();
    }
  }

  function setFilter(text: string): void {
    if (text === filter.text) return;
    filter.text = text;
    if (text === '') {
      output.print('All deliveries are printed.');
      return;
    }
    const found = feed.list().filter((record) => filter.matches(record));
    const shown = found.slice(-PRINTED_AGAIN);
    output.print(`Only deliveries that contain "${visible(text)}" are printed. Of those kept: ${found.length}.`);
    for (const { id } of shown) print(id);
  }

  async function openPage(): Promise<void> {
    if (page === undefined) {
      output.print('There is no page: this command was started with --no-page.');
      return;
    }
    const reason = await opener?.open();
    if (reason !== undefined) output.print(`No browser was opened: ${reason}. Open ${page}`);
  }

  async function resendLast(): Promise<void> {
    const last = feed.list().at(-1);
    if (last === undefined) output.print('There is no delivery to resend.');
    else await options.resend(last).catch((error: Error) => output.print(`Not resent: ${visible(error.message)}`));
  }

  async function reorg(text: string | undefined): Promise<void> {
    if (text === undefined) return;
    const depth = Number(text);
    if (!Number.isSafeInteger(depth) || depth < 1) output.print('No re-org: give a whole number of blocks.');
    else await options.reorg?.(depth).catch((error: Error) => output.print(`No re-org: ${visible(error.message)}`));
  }

  function clear(): void {
    const { length } = feed.list();
    if (length <= CLEARED_UNASKED) clearNow();
    else ask(`Clear ${length} deliveries? (y, Enter)`, '', (text) => text?.toLowerCase() === 'y' && clearNow());
  }

  function clearNow(): void {
    feed.clear();
    output.clearScreen();
  }

  function help(): void {
    const keys = options.reorg ? [...HELP, REORG] : HELP;
    const lines = keys.map(([key, does]) => `  ${output.colors.bold(key)}  ${does}`);
    output.print([...lines, ...(page === undefined ? [] : [`  Page: ${page}`])].join('\n'));
  }

  const show = (shown: boolean) => {
    isShown = shown;
    if (shown) draw();
    else output.footer(undefined);
  };
  const unsubscribe = feed.subscribe(drawSoon);
  stdout.on('resize', draw);
  const release = readKeys(stdin, stdout, host, {
    key: onKey,
    paste(text) {
      if (typing === undefined) return;
      typing.text += visible(text.trim()).slice(0, 200);
      draw();
    },
    show: () => show(true),
    hide: () => show(false),
  });
  return async () => {
    unsubscribe();
    stdout.off('resize', draw);
    clearTimeout(redraw);
    release();
    await opener?.close();
  };
}

function countsOf(feed: Feed): Record<Verdict, number> {
  const counts = { accepted: 0, refused: 0, failed: 0, pending: 0 };
  for (const record of feed.list()) counts[verdictOf(lastOf(record))]++;
  return counts;
}
