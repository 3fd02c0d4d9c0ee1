import { type Explainer, explainLate } from '../confined/explainer.js';
import { type Why, whyOf } from '../deliveries/causes.js';
import type { Attempt, Cause, Verdict } from '../deliveries/delivery-record.js';
import type { Feed, KeptDelivery } from '../deliveries/feed.js';
import type { FindingSources } from '../deliveries/findings.js';
import type { KnownContracts } from '../deliveries/known-contracts.js';
import { verdictOf } from '../deliveries/verdict.js';
import { lastOf, summaryOf } from '../deliveries/views.js';
import { MOST_BYTES } from '../explain/finding.js';
import { countsText, deliveryText, detailLines, refusalLines } from './delivery-text.js';
import type { Output } from './output.js';
import { visible } from './visible.js';

/** Prints deliveries in order, each with the cause if it was refused. */
export interface DeliveryPrinter {
  /** How many attempts ended with each verdict, including those that were not printed. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /**
   * Prints a delivery.
   *
   * @param attempt The attempt to print, which later attempts may follow. (Default: the last.)
   */
  print(id: string, attempt?: PrintedAttempt): void;
  /** Prints a note, unless too many lines are waiting. */
  note(text: string): void;
  /** Prints a delivery with its headers and its body. */
  details(record: KeptDelivery): void;
  /** Stops explaining, and resolves when all waiting lines and a summary are printed. */
  done(recording: string | undefined): Promise<void>;
}

type PrintedAttempt = Pick<Attempt, 'at'> & Pick<KeptDelivery, 'nextAttemptAt'>;

export interface PrinterOptions {
  readonly feed: Feed;
  readonly sources: FindingSources;
  readonly explainer: Pick<Explainer, 'explain' | 'read'>;
  readonly output: Output;
  readonly contracts?: (() => KnownContracts) | undefined;
  /** Resolves when the contracts of the next delivery to print are known, or after a short time limit. */
  readonly known?: (() => Promise<void>) | undefined;
}

/** Limit of lines waiting to be printed; others are only counted. Authentic deliveries have ten times the limit. */
const MOST_WAITING = 1000;
/** A delivery that has waited longer for earlier ones is printed without an explanation, so that later ones are printed soon. */
const PATIENCE_MS = 5000;
/** Interval of the notes about what was not printed. */
const NOTE_MS = 5000;
/** Limits of the causes that are counted and shown at the end. */
const [MOST_CAUSES, CAUSES_SHOWN] = [100, 10];
const INDENT = '  ';

export function createPrinter(options: PrinterOptions): DeliveryPrinter {
  const { feed, sources, explainer, output } = options;
  const { contracts = () => new Map(), known = async () => {} } = options;
  const { colors } = output;
  const counts: Record<Verdict, number> = { accepted: 0, refused: 0, failed: 0, pending: 0 };
  const causes = new Map<string, { count: number; text: string }>();
  const waiting: (() => Promise<void>)[] = [];
  let printing: Promise<void> | undefined;
  let missed = 0;
  let notedAt = 0;
  let isEnding = false;
  /** When the explainer's first answer came: before that, deliveries waited for its start, not for one another. */
  let startedAt: number | undefined;
  let wake = () => {};

  /** Has an unverified body read in the thread of the explainer. Resolves with the record, with its contents. */
  async function read(record: KeptDelivery, isLate: boolean): Promise<KeptDelivery> {
    const { id, verified, bodyDropped, rawBody } = record;
    if (verified !== false) {
      await known();
      return record;
    }
    if (isLate || bodyDropped || rawBody.byteLength > MOST_BYTES) return record;
    const contents = await explainer.read(rawBody);
    if (contents === undefined) return record;
    feed.describe(id, contents);
    return { ...record, contents };
  }

  async function show(id: string, attempt: PrintedAttempt | undefined, since: number): Promise<void> {
    const record = feed.get(id);
    if (record === undefined) return;
    const waitedMs = startedAt === undefined ? 0 : performance.now() - Math.max(since, startedAt);
    const isLate = isEnding || waitedMs > PATIENCE_MS;
    const current = await read(record, isLate);
    const shown = attempt ? atAttempt(current, attempt) : current;
    const why = await whyOf(shown, sources, isLate ? explainLate : explainer.explain);
    if (record.verified === false) startedAt ??= performance.now();
    countCause(shown, why.cause);
    printOne(shown, why);
  }

  function printOne(record: KeptDelivery, { findings }: Why, more: readonly string[] = []): void {
    const last = lastOf(record);
    const shown = summaryOf(record, contracts());
    if (output.json) {
      output.result({ delivery: { ...shown, reason: last.reason, findings } }, '');
      return;
    }
    // Shows the likeliest cause, and all certain ones, which must be fixed together.
    const likely = findings.filter(({ confidence }, at) => at === 0 || confidence === 'certain');
    const { reason, response } = last;
    const why = { reason, response: shown.verdict === 'accepted' ? undefined : response };
    const lines = refusalLines(why, likely, colors);
    const head = output.wrap(deliveryText(shown, last, colors), INDENT.repeat(3));
    const rest = [...more, ...lines].map((line) => output.wrap(INDENT + line, INDENT));
    output.print([head, ...rest].join('\n'));
  }

  function countCause(record: KeptDelivery, cause: Cause | undefined): void {
    const last = lastOf(record);
    const verdict = verdictOf(last);
    if (verdict === 'accepted' || verdict === 'pending') return;
    const { code, reason = code, status } = last;
    const other =
      code === undefined ? { id: `status-${status}`, text: `answered ${status}` } : { id: code, text: String(reason) };
    const { id, text } = cause ?? other;
    const before = causes.get(id)?.count ?? 0;
    if (before > 0 || causes.size < MOST_CAUSES) causes.set(id, { count: before + 1, text });
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await next().catch(() => output.note('A delivery could not be printed.'));
      if (performance.now() - notedAt > NOTE_MS) noteMissed();
      // One line at a time: arriving deliveries take precedence.
      if (!isEnding) await breath();
    }
    printing = undefined;
    noteMissed();
  }

  function noteMissed(): void {
    if (missed > 0) output.note(`${missed} requests arrived too fast to be printed.`);
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

  function enqueue(print: () => Promise<void>, most = MOST_WAITING): void {
    if (waiting.length >= most) {
      missed++;
      return;
    }
    waiting.push(print);
    printing ??= work();
  }

  function summarize(recording: string | undefined): void {
    const { accepted, refused, failed } = counts;
    const total = accepted + refused + failed;
    if (total === 0) return;
    const found = [...causes].map(([id, cause]) => ({ id, ...cause }));
    const byCount = found.sort((one, other) => other.count - one.count).slice(0, CAUSES_SHOWN);
    const lines = [
      `${colors.bold(`${total} ${total === 1 ? 'delivery' : 'deliveries'}`)}: ${countsText(counts, colors)}`,
      ...byCount.map(({ count, text }) => output.wrap(`${INDENT}${count} × ${visible(text)}`, INDENT.repeat(2))),
      ...(recording === undefined ? [] : [`Recorded in ${visible(recording)}`]),
    ];
    output.result(
      { summary: { deliveries: total, accepted, refused, failed, causes: byCount, recording } },
      lines.join('\n'),
    );
  }

  return {
    counts,
    print(id, attempt) {
      const record = feed.get(id);
      if (record === undefined) return;
      counts[verdictOf(lastOf(attempt ? atAttempt(record, attempt) : record))]++;
      const since = performance.now();
      enqueue(() => show(id, attempt, since), record.verified === false ? MOST_WAITING : 10 * MOST_WAITING);
    },
    note: (text) => enqueue(async () => output.note(text)),
    details: (record) =>
      enqueue(async () => {
        const why = await whyOf(record, sources, explainer.explain);
        printOne(await read(record, false), why, detailLines(record, colors));
      }),
    async done(recording) {
      isEnding = true;
      wake();
      await printing;
      summarize(recording);
    },
  };
}

/** A delivery as it was after one of its attempts. */
function atAttempt(record: KeptDelivery, { at, nextAttemptAt }: PrintedAttempt): KeptDelivery {
  return { ...record, attempts: record.attempts.filter((attempt) => attempt.at <= at), nextAttemptAt };
}
