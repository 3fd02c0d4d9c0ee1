import { type Explainer, NOT_EXPLAINED } from '../confined/explainer.js';
import { itemsOf } from '../deliveries/contents.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import { type FindingSources, findingsOf, MOST_BYTES } from '../deliveries/findings.js';
import { rowsOf } from '../deliveries/rows.js';
import { lastOf, summaryOf } from '../deliveries/views.js';
import { deliveryText, refusalText } from './delivery-text.js';
import type { Output } from './output.js';

/** Prints deliveries in order, each with the reason if it was refused. */
export interface DeliveryPrinter {
  print(id: string): void;
  /** Stops explaining, and resolves when all waiting deliveries are printed. */
  done(): Promise<void>;
}

export interface PrinterOptions {
  readonly feed: Feed;
  readonly sources: FindingSources;
  readonly explainer: Pick<Explainer, 'explain' | 'read'>;
  readonly output: Output;
  /** A delivery that has waited longer is printed without an explanation, so that later ones are printed soon. (Default: 5000.) */
  readonly patienceMs?: number | undefined;
}

/** Limit of deliveries waiting to be printed; others are only counted. Authentic ones have ten times the limit. */
const MOST_WAITING = 1000;
/** Interval of the notes about deliveries that were not printed. */
const NOTE_MS = 5000;

export function createPrinter({
  feed,
  sources,
  explainer,
  output,
  patienceMs = 5000,
}: PrinterOptions): DeliveryPrinter {
  const waiting: { id: string; since: number }[] = [];
  let printing: Promise<void> | undefined;
  let missed = 0;
  let notedAt = 0;
  let isEnding = false;
  let wake = () => {};

  async function reading(record: KeptDelivery, isLate: boolean) {
    if (record.verified !== false) return { contents: record.contents, rows: rowsOf(itemsOf(record.rawBody)) };
    const isRead = !isLate && !record.bodyDropped && record.rawBody.byteLength <= MOST_BYTES;
    const read = isRead ? await explainer.read(record.rawBody) : undefined;
    if (read) feed.describe(record.id, read.contents);
    return read ?? { contents: record.contents, rows: [] };
  }

  async function show(id: string, since: number): Promise<void> {
    const record = feed.get(id);
    if (record === undefined) return;
    const isLate = isEnding || performance.now() - since > patienceMs;
    const { contents, rows } = await reading(record, isLate);
    const findings = await findingsOf(record, sources, isLate ? async () => [NOT_EXPLAINED] : explainer.explain);
    const summary = summaryOf({ ...record, contents }, sources);
    const { reason } = lastOf(record);
    const text = [deliveryText(summary, rows, output.colors), ...refusalText(reason, findings[0], output.colors)];
    output.result({ delivery: { ...summary, reason, findings } }, text.join('\n'));
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await show(next.id, next.since).catch(() => output.note('A delivery could not be printed.'));
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
    print(id) {
      const isForged = feed.get(id)?.verified === false;
      if (waiting.length >= (isForged ? MOST_WAITING : 10 * MOST_WAITING)) {
        missed++;
        return;
      }
      waiting.push({ id, since: performance.now() });
      printing ??= work();
    },
    async done() {
      isEnding = true;
      wake();
      await printing;
    },
  };
}
