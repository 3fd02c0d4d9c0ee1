import { createColors } from 'picocolors';
import type { Verdict } from '../../deliveries/delivery-record.js';
import { countsText } from '../delivery-text.js';
import type { Colors } from '../output.js';

/** What the status line shows. */
export interface Status {
  /** Address of the page, with its token. */
  readonly page: string | undefined;
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
 * One line: the page, the number of deliveries by verdict, the held-back queue, and the keys. Parts of the lowest rank
 * are dropped when the line is too narrow.
 */
export function statusLine({ page, counts, held, isChoosing }: Status, columns: number, colors: Colors): string {
  const plain = countsText(counts, PLAIN);
  const waiting = 'waiting for deliveries';
  const parts = [
    { rank: 2, text: page?.replace(/#.*/, '') ?? '', paint: (text: string) => link(colors.cyan(text), page as string) },
    {
      rank: 4,
      text: plain || waiting,
      paint: (text: string) => (plain ? countsText(counts, colors) : colors.dim(text)),
    },
    { rank: 3, text: held, paint: colors.yellow },
    { rank: 1, text: isChoosing ? 'Enter: show  r: resend  Esc' : '? keys', paint: colors.dim },
  ];
  let shown = parts.filter(({ text }) => text !== '');
  const width = () => shown.reduce((sum, { text }) => sum + text.length + GAP.length, -GAP.length);
  while (shown.length > 1 && width() >= columns) {
    const least = Math.min(...shown.map(({ rank }) => rank));
    shown = shown.filter(({ rank }) => rank !== least);
  }
  return shown.map(({ text, paint }) => paint(text)).join(GAP);
}

/** A hyperlink on terminals that support them; others show the text. */
const link = (text: string, to: string) => `\u001b]8;;${to}\u001b\\${text}\u001b]8;;\u001b\\`;
