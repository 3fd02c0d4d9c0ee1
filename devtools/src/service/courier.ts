import type { Attempt, HeaderLine } from './attempt.js';
import type { Delivery } from './delivery.js';
import { type Faults, type Prepared, prepare } from './faults.js';
import type { ResolvedOptions } from './options.js';
import { retryAfterMs, retryDelay } from './retry.js';
import type { Answer, Sender } from './send.js';
import type { Change, WebhookState } from './state.js';
import type { Calls } from './webhook.js';

/** The parts of a service that a courier uses. */
export interface CourierContext {
  readonly options: ResolvedOptions;
  readonly sender: Sender;
  faults(): Faults;
  /** Stores the progress of a delivery. */
  record(change: Change): void;
  /** Reports a delivery, with the attempt in progress or the last attempt and its response. */
  notify(webhook: WebhookState, delivery: Delivery, attempt: Attempt): void;
}

export type Courier = ReturnType<typeof createCourier>;

/** How long a delivery waits for a later one to be sent first. */
const HOLD_MS = 2000;
/** The number of attempts kept for a delivery. */
const MAX_ATTEMPTS = 50;
const AGAIN = 'sent again although it was accepted';

/** Sends the pending deliveries of one webhook, one after the other, and retries those that fail. */
export function createCourier(webhook: WebhookState, context: CourierContext) {
  const { options, sender } = context;
  const { now, retries, timeoutMs } = options;
  const prompted = new Set<number>();
  /** The delivery that a later one has overtaken: the `reorder` fault applies to each once. */
  let overtaken: number | undefined;
  const stopping = new AbortController();
  let current: number | undefined;
  let inFlight: number | undefined;
  let work: Promise<void> | undefined;
  let interrupt = () => {};
  let holding = false;

  /** Resolves with whether it slept the whole time. */
  function sleep(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (slept: boolean) => {
        clearTimeout(timer);
        interrupt = () => {};
        resolve(slept);
      };
      const timer = setTimeout(() => finish(true), ms);
      interrupt = () => finish(false);
    });
  }

  /** Waits until the next delivery is due. Resolves with undefined if the wait was interrupted. */
  async function due(delivery: Delivery): Promise<{ delivery: Delivery; notes: string[] } | undefined> {
    if (delivery.nextAttemptAt !== undefined) {
      const wait = Math.min(Math.max(delivery.nextAttemptAt - now(), 0), retries.maxDelayMs);
      return (await sleep(wait)) ? { delivery, notes: [] } : undefined;
    }
    if (delivery.id === overtaken) return { delivery, notes: ['sent after a later delivery'] };
    if (!context.faults().reorder || delivery.attempts.length > 0) return { delivery, notes: [] };
    const [, second] = webhook.pending;
    const later = pendingOf(second);
    if (later === undefined) {
      holding = true;
      const alone = await sleep(HOLD_MS);
      holding = false;
      return alone ? { delivery, notes: [] } : undefined;
    }
    overtaken = delivery.id;
    return { delivery: later, notes: ['sent before an earlier delivery'] };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const asked = takeAsked();
      const next = asked ?? head();
      if (next === undefined) return;
      const turn = asked ? { delivery: asked, notes: [] } : await due(next);
      if (turn === undefined || stopping.signal.aborted) continue;
      current = turn.delivery.id;
      const accepted = await attempt(current, turn.notes);
      if (accepted && context.faults().duplicate) await attempt(current, [AGAIN]);
    }
  }

  const pendingOf = (id = 0) => (webhook.pending.has(id) ? webhook.deliveries.get(id) : undefined);

  function head(): Delivery | undefined {
    const [oldest] = webhook.pending;
    return pendingOf(current) ?? pendingOf(oldest);
  }

  function takeAsked(): Delivery | undefined {
    for (const id of prompted) {
      prompted.delete(id);
      const delivery = pendingOf(id);
      if (delivery) return delivery;
    }
    return undefined;
  }

  /** Resolves with whether the receiver accepted the delivery. */
  async function attempt(id: number, notes: readonly string[]): Promise<boolean> {
    const faults = context.faults();
    if (faults.delayMs > 0) {
      const end = performance.now() + faults.delayMs;
      while (performance.now() < end && !stopping.signal.aborted) await sleep(end - performance.now());
    }
    const delivery = webhook.deliveries.get(id);
    if (delivery === undefined || stopping.signal.aborted) return false;
    const { url, secret } = webhook.record;
    const at = now();
    const prepared = prepare(delivery.body, { secret, now: at, headers: options.headers }, faults, notes);
    const headers: HeaderLine[] = [
      ['Host', new URL(url).host],
      ['User-Agent', 'Go-http-client/1.1'],
      ['Content-Length', String(prepared.body.length)],
      ...prepared.headers,
    ];
    const begun: Attempt = { at, headers, fault: prepared.fault, tampered: prepared.tampered };
    inFlight = id;
    context.notify(webhook, delivery, begun);
    const answer = await sender.send({ url, timeoutMs, signal: stopping.signal, ...prepared, headers });
    inFlight = undefined;
    if (stopping.signal.aborted) return false;
    return record(id, begun, prepared, answer);
  }

  function record(id: number, begun: Attempt, prepared: Prepared, answer: Answer): boolean {
    const { status, durationMs } = answer;
    const accepted = status !== undefined && status >= 200 && status < 300;
    const fooled = accepted && !prepared.authentic;
    const reason = fooled
      ? 'accepted although it was not authentic: does the receiver verify signatures?'
      : answer.reason;
    const code = fooled ? 'NOT_AUTHENTIC' : answer.code;
    const attempt: Attempt = { ...begun, status, reason, code, durationMs };
    const before = webhook.deliveries.get(id);
    // The queue was full, and has dropped it meanwhile.
    if (before === undefined) return false;
    const attempts = [...before.attempts, attempt].slice(-MAX_ATTEMPTS);
    const advance = accepted && !fooled ? delivered(before) : failed(before, answer.retryAfter);
    const delivery = { ...before, attempts, nextAttemptAt: undefined, ...advance };
    context.record({ webhook: { ...webhook.record, ...callsAfter(attempt, delivery) }, deliveries: [delivery] });
    context.notify(webhook, delivery, { ...attempt, response: answer.response });
    return accepted && !fooled;
  }

  type Advance = Pick<Delivery, 'state' | 'failures' | 'deliveredAt' | 'nextAttemptAt'>;

  function delivered({ deliveredAt }: Delivery): Advance {
    return { state: 'delivered', failures: 0, deliveredAt: deliveredAt ?? now() };
  }

  function failed(delivery: Delivery, retryAfter: string | undefined): Advance {
    const failures = delivery.failures + 1;
    // A delivery that was accepted once stays delivered, even if a redelivery fails.
    const { deliveredAt } = delivery;
    if (deliveredAt !== undefined) return { state: 'delivered', failures, deliveredAt };
    if (delivery.once || failures >= retries.attempts) return { state: 'given-up', failures };
    const wait = retryDelay(failures, retries, Math.random, retryAfterMs(retryAfter, now()));
    return { state: 'pending', failures, nextAttemptAt: now() + wait };
  }

  function callsAfter({ at, status, reason }: Attempt, { state, failures, nextAttemptAt }: Advance): Calls {
    const lastAttempt = new Date(at).toISOString();
    if (state === 'delivered' && failures === 0) {
      return { failedCalls: 0, nextAttempt: undefined, lastAttempt, lastError: undefined };
    }
    return {
      failedCalls: webhook.record.failedCalls + 1,
      nextAttempt: nextAttemptAt === undefined ? undefined : new Date(nextAttemptAt).toISOString(),
      lastAttempt,
      lastError: reason ?? `answered ${status}`,
    };
  }

  function wake(): void {
    if (holding) interrupt();
    work ??= run().then(() => {
      work = undefined;
      current = undefined;
      if (webhook.pending.size > 0 && !stopping.signal.aborted) wake();
    });
  }

  return {
    /** Starts sending if anything is pending. */
    wake,
    /** Sends a pending delivery next, before those that wait for a retry. */
    prompt(id: number): void {
      prompted.add(id);
      interrupt();
      wake();
    },
    get busy(): boolean {
      return work !== undefined;
    },
    /** The delivery that is retried before all others; undefined if none is. */
    held(): { readonly delivery: Delivery; readonly isInFlight: boolean } | undefined {
      const delivery = head();
      if (delivery === undefined || delivery.failures === 0) return undefined;
      return { delivery, isInFlight: delivery.id === inFlight };
    },
    /** Resolves when nothing is pending. */
    async idle(): Promise<void> {
      while (work) await work;
    },
    /** Aborts the attempt in progress. Pending deliveries stay pending. */
    stop(): void {
      stopping.abort();
      interrupt();
    },
  };
}
