import { createColors } from 'picocolors';
import { type Explainer, LATE } from '../confined/explainer.js';
import { itemsOf } from '../deliveries/contents.js';
import type { Attempt } from '../deliveries/delivery-record.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { type FindingSources, findingsOf, MOST_BYTES } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { rowsOf } from '../deliveries/rows.js';
import { lastOf, summaryOf } from '../deliveries/views.js';
import type { Printed, Style } from './delivery-text.js';
import { refusalText } from './delivery-text.js';
import type { Output } from './output.js';
import { createLineFilter, type LineFilter } from './terminal/line-filter.js';

/** Prints deliveries in order, each with the reason if it was refused. */
export interface DeliveryPrinter {
  /**
   * Prints a delivery.
   *
   * @param attempt The attempt to print, which later attempts may follow. (Default: the last.)
   */
  print(id: string, attempt?: PrintedAttempt): void;
  /** Stops explaining, and resolves when all waiting deliveries are printed. */
  done(): Promise<void>;
}

type PrintedAttempt = Pick<Attempt, 'at'> & Pick<KeptDelivery, 'nextAttemptAt'>;

export interface PrinterOptions {
  readonly feed: Feed;
  readonly sources: FindingSources;
  readonly explainer: Pick<Explainer, 'explain' | 'read' | 'view'>;
  readonly output: Output;
  readonly style: Style;
  /** (Default: none.) */
  readonly filter?: LineFilter | undefined;
  readonly contracts?: (() => KnownContracts) | undefined;
  /** Resolves when the contracts of the next delivery to print are known, or after a short time limit. */
  readonly known?: (() => Promise<void>) | undefined;
  /** A delivery that has waited longer is printed without an explanation, so that later ones are printed soon. (Default: 5000.) */
  readonly patienceMs?: number | undefined;
}

/** Limit of deliveries waiting to be printed; others are only counted. Authentic ones have ten times the limit. */
const MOST_WAITING = 1000;
/** Interval of the notes about deliveries that were not printed. */
const NOTE_MS = 5000;
const NO_COLORS = createColors(false);
const NOTHING = { rows: [], items: [] };

export function createPrinter({
  feed,
  sources,
  explainer,
  output,
  style,
  filter = createLineFilter(),
  contracts = () => new Map(),
  known = async () => {},
  patienceMs = 5000,
}: PrinterOptions): DeliveryPrinter {
  const waiting: { id: string; attempt: PrintedAttempt | undefined; since: number }[] = [];
  let printing: Promise<void> | undefined;
  let missed = 0;
  let notedAt = 0;
  let isEnding = false;
  let wake = () => {};
  /** The causes printed last for each delivery: they are not repeated when a retry fails in the same way. */
  const explained = new Map<string, string>();

  const summary = (record: KeptDelivery) => summaryOf(record, { headers: sources.headers, contracts: contracts() });

  async function reading(record: KeptDelivery, isLate: boolean): Promise<Omit<Printed, 'last'>> {
    const { rawBody, contents } = record;
    if (record.verified !== false) {
      await known();
      const items = style.decode?.(rawBody);
      return { summary: summary(record), rows: items ? [] : rowsOf(itemsOf(rawBody)), items: items ?? [] };
    }
    const isRead = !isLate && !record.bodyDropped && rawBody.byteLength <= MOST_BYTES;
    const read = isRead
      ? style.decode
        ? await explainer.view(rawBody, contracts())
        : await explainer.read(rawBody)
      : undefined;
    if (read) feed.describe(record.id, read.contents);
    return { ...NOTHING, ...read, summary: summary({ ...record, contents: read?.contents ?? contents }) };
  }

  async function show(id: string, attempt: PrintedAttempt | undefined, since: number): Promise<void> {
    const kept = feed.get(id);
    if (kept === undefined) return;
    const record = attempt ? atAttempt(kept, attempt) : kept;
    const isLate = isEnding || performance.now() - since > patienceMs;
    const last = lastOf(record);
    const printed = { ...(await reading(record, isLate)), last };
    if (!filter.matches(record, () => style.text(printed, NO_COLORS))) return;
    const findings = await findingsOf(record, sources, isLate ? async () => [LATE] : explainer.explain);
    // Shows the likeliest cause, and all certain ones, which must be fixed together.
    const shown = findings.filter(({ confidence }, at) => at === 0 || confidence === 'certain');
    const causes = shown.map(({ cause }) => cause).join();
    const isNew = explained.get(id) !== causes;
    remember(id, causes);
    if (output.json) {
      for (const document of style.documents(printed, findings)) output.result(document, '');
      return;
    }
    const { reason, response } = last;
    const why = {
      reason: style.saysWhy ? undefined : reason,
      response: printed.summary.verdict === 'accepted' ? undefined : response,
    };
    const refusal = refusalText(why, isNew ? shown : [], output);
    output.print([style.text(printed, output.colors), ...refusal].join('\n'));
  }

  function remember(id: string, causes: string): void {
    if (explained.size >= MOST_WAITING) explained.clear();
    if (causes === '') explained.delete(id);
    else explained.set(id, causes);
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { id, attempt, since } = next;
      await show(id, attempt, since).catch(() => output.note('A delivery could not be printed.'));
      if (performance.now() - notedAt > NOTE_MS) noteMissed();
      // One line at a time: arriving deliveries take precedence.
      if (!isEnding) await breath();
    }
    printing = undefined;
    noteMissed();
  }

  function noteMissed(): void {
    if (missed > 0) output.note(`${missed} deliveries arrived too fast to be printed.`);
    notedAt = performance.now();
    missed = 0;
  }

  /** Waits until stdout has drained and other work has had its turn. */
  async function breath(): Promise<void> {
    const taken = output.taken();
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (taken) void taken.then(resolve);
      else setImmediate(resolve);
    });
  }

  return {
    print(id, attempt) {
      const isForged = feed.get(id)?.verified === false;
      if (waiting.length >= (isForged ? MOST_WAITING : 10 * MOST_WAITING)) {
        missed++;
        return;
      }
      waiting.push({ id, attempt, since: performance.now() });
      printing ??= work();
    },
    async done() {
      isEnding = true;
      wake();
      await printing;
    },
  };
}

/** A delivery as it was after one of its attempts. */
function atAttempt(record: KeptDelivery, { at, nextAttemptAt }: PrintedAttempt): KeptDelivery {
  return { ...record, attempts: record.attempts.filter((attempt) => attempt.at <= at), nextAttemptAt };
}
