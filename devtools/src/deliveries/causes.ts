import type { Finding } from '../explain/finding.js';
import type { Question } from '../explain/options.js';
import { ageText } from '../explain/text.js';
import type { Attempt, Cause } from './delivery-record.js';
import type { Feed, KeptDelivery } from './feed.js';
import { type FindingSources, findingsOf } from './findings.js';
import { headerOf } from './headers.js';
import { cut, printable } from './text-limits.js';
import { verdictOf } from './verdict.js';
import { lastOf } from './views.js';

/** Findings about the explanation, not about the delivery. */
const UNKNOWN = new Set(['not-explained', 'explanation-too-costly', 'items-not-decoded', 'body-dropped']);
const LONGEST = 100;
/** An answer with only a code. Other findings explain it better, if there are any. */
const CODE = /^The app answered ERR_WEBHOOK_(\w+)\.$/;

/** The likeliest cause in a few words. A fault that was turned on, or a bare code, is the cause if nothing else is found. */
export function causeOf(findings: readonly Finding[], ageMs: number): Cause | undefined {
  const known = findings.filter(({ cause }) => !UNKNOWN.has(cause));
  const finding = known.find((each) => each.cause !== 'fault-on-request' && !CODE.test(each.what)) ?? known.at(-1);
  if (finding === undefined) return undefined;
  const { cause: id, what } = finding;
  if (id === 'timestamp-stale') return { id, text: `stale by ${ageText(ageMs)}` };
  if (id === 'timestamp-ahead') return { id, text: `timestamp ${ageText(ageMs)} ahead` };
  if (id !== 'app-said') return { id, text: id.replaceAll('-', ' ') };
  const code = CODE.exec(what)?.[1];
  if (code !== undefined) return { id, text: `app error: ${code.replaceAll('_', ' ').toLowerCase()}` };
  return { id, text: cut(printable(what.replace(/^The app answered (?:\w+: )?|\.$/g, '')), LONGEST) };
}

/** Why the last attempt of a delivery was not accepted. */
export interface Why {
  readonly findings: readonly Finding[];
  /** The likeliest cause in a few words; undefined if it is unknown, or if nobody answered. */
  readonly cause?: Cause | undefined;
}

type Explain = (question: Question) => Promise<readonly Finding[]>;

/** What is known about attempts, so that the terminal and the page do not explain an attempt twice. */
const explained = new WeakMap<Attempt, Why>();

/**
 * Why the last attempt of a delivery was not accepted.
 * @param explain runs `explainFailure` without blocking
 */
export async function whyOf(record: KeptDelivery, sources: FindingSources, explain: Explain): Promise<Why> {
  const last = lastOf(record);
  const before = explained.get(last);
  if (before) return before;
  const findings = await findingsOf(record, sources, explain);
  // Without a response, nobody has refused it: the code says why.
  const isAnswered = last.status !== undefined || record.recorded;
  const why = { findings, cause: isAnswered ? causeOf(findings, ageOf(last, sources)) : undefined };
  // An attempt that was not explained can be explained later.
  if (findings.length > 0 && findings.every(({ cause }) => !UNKNOWN.has(cause))) explained.set(last, why);
  return why;
}

/** The age of the timestamp of an attempt, in milliseconds; 0 without one in seconds. */
function ageOf({ at, headers }: Attempt, names: FindingSources): number {
  const seconds = headerOf(headers, names.headers.timestamp);
  return seconds !== undefined && /^\d{1,12}$/.test(seconds) ? at - Number(seconds) * 1000 : 0;
}

/** Deliveries that wait to be explained. In a flood of forgeries, the oldest stay without a cause. */
const MOST_WAITING = 1000;

export interface CausesOptions {
  readonly feed: Feed;
  readonly sources: FindingSources;
  readonly explain: Explain;
}

/**
 * Adds to each delivery of a feed why it was not accepted: one at a time, the newest first. Returns a function that stops
 * it.
 */
export function addCauses({ feed, sources, explain }: CausesOptions): () => void {
  const seen = new WeakSet<Attempt>();
  const waiting: string[] = [];
  let isWorking = false;

  async function explainOne(record: KeptDelivery): Promise<void> {
    const { cause } = await whyOf(record, sources, explain);
    // Another attempt may have been made meanwhile.
    const current = feed.get(record.id);
    if (current && lastOf(current).at === lastOf(record).at) feed.setCause(record.id, cause);
  }

  async function work(): Promise<void> {
    isWorking = true;
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const record = feed.get(id);
      if (record) await explainOne(record);
      // Deliveries that arrive take precedence.
      await new Promise(setImmediate);
    }
    isWorking = false;
  }

  function note(record: KeptDelivery | undefined): void {
    const last = record && lastOf(record);
    if (!record || !last || seen.has(last)) return;
    seen.add(last);
    const verdict = verdictOf(last);
    if (verdict === 'pending' || (verdict === 'accepted' && last.code === undefined)) return;
    if (waiting.push(record.id) > MOST_WAITING) waiting.shift();
    if (!isWorking) void work();
  }

  for (const record of feed.list()) note(record);
  return feed.subscribe(note);
}
