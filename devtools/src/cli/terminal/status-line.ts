import { createColors } from 'picocolors';
import type { Verdict } from '../../deliveries/delivery-record.js';
import { countsText } from '../delivery-text.js';
import type { Colors } from '../output.js';

/** What the status line shows. */
export interface Status {
  /** Address of the page, with its token. */
  readonly page: string;
  /** How many deliveries were answered, by verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Why deliveries are held back. */
  readonly held: string;
  /** Whether a delivery is chosen. */
  readonly isChoosing: boolean;
}

const GAP = '  ';
const PLAIN = createColors(false);

/**
 * One line: the page, the number of deliveries by verdict, the held-back queue, and the keys. What matters least is left
 * out when the line is too narrow: first the keys, then the page, then the queue.
 */
export function statusLine({ page, counts, held, isChoosing }: Status, columns: number, colors: Colors): string {
  const plain = countsText(counts, PLAIN);
  const parts = [
    page ? { text: page.replace(/#.*/, ''), paint: (text: string) => link(colors.cyan(text), page) } : undefined,
    plain
      ? { text: plain, paint: () => countsText(counts, colors) }
      : { text: 'waiting for deliveries', paint: colors.dim },
    held ? { text: held, paint: colors.yellow } : undefined,
    { text: isChoosing ? 'Enter: show  r: resend  Esc' : '? keys', paint: colors.dim },
  ];
  const whole = () => parts.filter((part) => part !== undefined);
  for (const least of [3, 0, 2]) {
    const width = whole().reduce((sum, { text }) => sum + text.length + GAP.length, -GAP.length);
    if (width >= columns) parts[least] = undefined;
  }
  return whole()
    .map(({ text, paint }) => paint(text))
    .join(GAP);
}

/** A hyperlink on terminals that support them; others show the text. */
const link = (text: string, to: string) => `\u001b]8;;${to}\u001b\\${text}\u001b]8;;\u001b\\`;
