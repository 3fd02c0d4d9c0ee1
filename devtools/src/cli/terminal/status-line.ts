import type { Verdict } from '../../deliveries/delivery-record.js';
import type { Colors } from '../output.js';
import { visible } from '../visible.js';

/** What the status line shows. */
export interface Status {
  /** Address of the page, with its token. */
  readonly page: string | undefined;
  /** How many deliveries are kept, by verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Why deliveries are held back. */
  readonly held: string;
  readonly filter: string;
}

interface Part {
  readonly text: string;
  readonly painted: string;
  /** Parts with a lower rank are dropped first when the line is too narrow. */
  readonly rank: number;
}

const GAP = '  ';

/** One line: the page, the number of deliveries by verdict, the held-back queue, the filter, and where help is. */
export function statusLine(status: Status, columns: number, colors: Colors): string {
  let parts = partsOf(status, colors);
  const width = () => parts.reduce((sum, { text }) => sum + text.length + GAP.length, -GAP.length);
  while (parts.length > 1 && width() >= columns) {
    const least = Math.min(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank !== least);
  }
  return parts.map(({ painted }) => painted).join(GAP);
}

function partsOf({ page, counts, held, filter }: Status, colors: Colors): Part[] {
  const parts: Part[] = [];
  const add = (rank: number, text: string, paint: (text: string) => string) => {
    if (text !== '') parts.push({ rank, text, painted: paint(text) });
  };
  if (page !== undefined) add(2, page.replace(/#.*/, ''), (text) => link(colors.cyan(text), page));
  const paints = { accepted: colors.green, refused: colors.red, failed: colors.red, pending: colors.yellow };
  const verdicts = (Object.keys(paints) as Verdict[]).filter((verdict) => counts[verdict] > 0);
  const text = verdicts.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ');
  const painted = verdicts.map((verdict) => paints[verdict](`${counts[verdict]} ${verdict}`)).join(', ');
  add(5, text || 'waiting for deliveries', () => painted || colors.dim('waiting for deliveries'));
  add(4, held, colors.yellow);
  add(3, filter && `filter: ${visible(filter, 40)}`, colors.bold);
  add(1, '? keys', colors.dim);
  return parts;
}

/** A hyperlink on terminals that support them; others show the text. */
const link = (text: string, to: string) => `\u001b]8;;${to}\u001b\\${text}\u001b]8;;\u001b\\`;
