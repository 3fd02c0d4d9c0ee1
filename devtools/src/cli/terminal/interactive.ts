import { createColors } from 'picocolors';
import type { Feed, KeptDelivery } from '../../deliveries/feed.js';
import { lastOf, summaryOf } from '../../deliveries/views.js';
import type { Context } from '../context.js';
import type { DeliveryPrinter } from '../delivery-printer.js';
import { deliveryText } from '../delivery-text.js';
import { visible } from '../visible.js';
import { readKeys } from './keyboard.js';
import { statusLine } from './status-line.js';

/** What the terminal shows, and what its keys do. */
export interface InteractiveOptions {
  readonly context: Pick<Context<unknown>, 'output' | 'terminal'>;
  readonly feed: Feed;
  readonly printer: Pick<DeliveryPrinter, 'counts' | 'details'>;
  /** Address of the page, with its token. */
  readonly page: string;
  /** Resends a delivery; rejects with a message for the user. */
  resend(record: KeptDelivery): Promise<unknown>;
  /** Replaces blocks of the chain; absent if the command has started none. Rejects with a message for the user. */
  readonly reorg?: ((depth: number) => Promise<unknown>) | undefined;
  /** Describes which deliveries are held back; empty if none are. */
  held?(): string;
  quit(): void;
}

const REDRAW_MS = 100;
/** Blocks that the re-org of a key replaces. */
const REORG_DEPTH = 3;
/** Deliveries shown around the chosen one. */
const CHOICES = 5;
const PLAIN = createColors(false);

const HELP: readonly (readonly [key: string, does: string])[] = [
  ['↑ ↓', 'choose a delivery; Enter shows it in full, Esc ends the choice'],
  ['r', 'resend the chosen delivery, or the last one'],
  ['q', 'quit, as Ctrl+C does'],
];
const REORG = ['x', `make a re-org: replace the last ${REORG_DEPTH} blocks of the chain`] as const;

/**
 * Shows a status line below the output and handles single keys, if input and output are a terminal in the foreground.
 *
 * @returns A function that restores the terminal.
 */
export function startInteractive(options: InteractiveOptions): () => void {
  const { context, feed, printer, page } = options;
  const { output, terminal } = context;
  // Input that has ended: a secret was read from it.
  if (terminal === undefined || !terminal.stdin.readable) return () => {};
  const { stdin, stdout, host } = terminal;
  const { colors } = output;
  /** The id of the chosen delivery. */
  let chosen: string | undefined;
  let isShown = false;
  let redraw: NodeJS.Timeout | undefined;

  function draw(): void {
    clearTimeout(redraw);
    redraw = undefined;
    if (!isShown) return;
    const { columns } = output;
    const status = { page, counts: printer.counts, held: options.held?.() ?? '', isChoosing: chosen !== undefined };
    output.footer([...choices(columns), statusLine(status, columns, colors)]);
  }

  /** The chosen delivery and those around it, the oldest first. */
  function choices(columns: number): string[] {
    const list = feed.list();
    const at = list.findIndex(({ id }) => id === chosen);
    if (at < 0) return [];
    const rows = Math.max(1, Math.min(CHOICES, (stdout.rows ?? 24) - 2));
    const start = Math.max(0, Math.min(at - Math.floor(rows / 2), list.length - rows));
    return list.slice(start, start + rows).map((record) => {
      const text = deliveryText(summaryOf(record), lastOf(record), PLAIN).slice(0, columns - 3);
      return record.id === chosen ? colors.inverse(`› ${text}`) : `  ${text}`;
    });
  }

  /** Schedules a redraw, so that a flood of deliveries does not draw for each. */
  const drawSoon = () => {
    redraw ??= setTimeout(draw, REDRAW_MS);
  };

  /** Chooses an older or a newer delivery; the last one first. */
  function choose(step: -1 | 1): void {
    const list = feed.list();
    const at = list.findIndex(({ id }) => id === chosen);
    chosen = (at < 0 ? list.at(-1) : list[Math.max(0, Math.min(list.length - 1, at + step))])?.id;
    draw();
  }

  const actions: Readonly<Record<string, () => unknown>> = {
    up: () => choose(-1),
    down: () => choose(1),
    return: showChosen,
    escape() {
      chosen = undefined;
      draw();
    },
    r: resend,
    x: reorg,
    q: options.quit,
    '?': help,
  };

  const chosenOne = () => (chosen === undefined ? undefined : feed.get(chosen));

  function showChosen(): void {
    const record = chosenOne();
    if (record) printer.details(record);
  }

  async function resend(): Promise<void> {
    const record = chosenOne() ?? feed.list().at(-1);
    if (record === undefined) output.print('There is no delivery to resend.');
    else
      await options
        .resend(record)
        .catch((error: Error) => output.print(`#${record.id} is not resent: ${visible(error.message)}`));
  }

  async function reorg(): Promise<void> {
    await options.reorg?.(REORG_DEPTH).catch((error: Error) => output.print(`No re-org: ${visible(error.message)}`));
  }

  function help(): void {
    const rows = options.reorg ? [...HELP, REORG] : HELP;
    const lines = rows.map(([key, does]) => `  ${colors.bold(key.padEnd(3))}  ${does}`);
    output.print([...lines, `  Page: ${page}`].join('\n'));
  }

  const unsubscribe = feed.subscribe(drawSoon);
  stdout.on('resize', draw);
  const release = readKeys(stdin, host, {
    keys(pressed) {
      const [key = '', ...others] = new Set(pressed);
      // Pasted text does nothing.
      if (others.length > 0 || !Object.hasOwn(actions, key)) return;
      for (const _ of pressed) actions[key]?.();
    },
    show() {
      isShown = true;
      draw();
    },
    hide() {
      isShown = false;
      output.footer([]);
    },
  });
  return () => {
    unsubscribe();
    stdout.off('resize', draw);
    clearTimeout(redraw);
    release();
  };
}
