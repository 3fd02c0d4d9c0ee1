import { Agent, request } from 'node:http';
import { monotonic, sleep } from './clock.js';
import { type Attempt, isAcknowledged, type Log } from './log.js';
import type { Delivery, Sending } from './plan.js';
import type { Replica } from './replica.js';

/** Longer than a receiver takes for its largest delivery. */
const ANSWER_MS = 15_000;
/** How many times longer the wait between two tries becomes. */
const LONGEST_WAIT = 64;
/** What a receiver that is overwhelmed, restarted, or without its server may answer. */
const RETRIABLE = [500, 503];

/**
 * Sends like the service: repeats, in no order, and again whatever was not acknowledged.
 *
 * @param confirm Called with each acknowledged delivery, before anything else becomes of it.
 * @param calm Resolves when the last fault is over. Until then no number of tries can be promised to be enough.
 * @param patienceMs When to give up on a copy after its first try, the last fault, and the last copy that was acknowledged:
 * a slow machine may take longer, as long as it gets on.
 */
export function createSender(
  receivers: readonly Replica[],
  log: Log,
  confirm: (delivery: Delivery) => Promise<void>,
  calm: Promise<void>,
  patienceMs: number,
) {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let patientSince = Number.POSITIVE_INFINITY;
  let isClosed = false;
  void calm.then(() => {
    patientSince = monotonic();
  });

  function post({ delivery, cutAfterMs, isUnread = false }: Partial<Sending> & Pick<Sending, 'delivery'>) {
    const receiver = turn++ % receivers.length;
    const { pid, port } = receivers[receiver]?.running ?? {};
    const from = monotonic();
    let written: number | undefined;
    const end = (outcome: Attempt['outcome'], closes?: boolean): Attempt => {
      return { delivery, receiver, pid, from, written, to: monotonic(), outcome, closes };
    };
    if (port === undefined) return Promise.resolve(end('down'));
    return new Promise<Attempt>((resolve) => {
      const { rawBody: body, headers } = delivery.signed;
      const outgoing = request({ host: '127.0.0.1', port, method: 'POST', agent, headers }, (answer) => {
        if (isUnread) finish('unread');
        answer
          .resume()
          .once('end', () => finish(answer.statusCode ?? 'broken', answer.headers.connection === 'close'))
          .once('error', () => finish('broken'));
      });
      const finish = (outcome: Attempt['outcome'], closes?: boolean) => {
        clearTimeout(timer);
        resolve(end(outcome, closes));
        if (typeof outcome !== 'number') outgoing.destroy();
      };
      const timer = setTimeout(finish, cutAfterMs ?? ANSWER_MS, cutAfterMs === undefined ? 'no answer' : 'cut');
      outgoing.once('finish', () => {
        written = monotonic();
      });
      outgoing.once('error', () => finish('broken'));
      // An error may follow the one that ended it.
      outgoing.on('error', () => {});
      outgoing.end(body);
    });
  }

  /** One copy, until it is acknowledged. */
  async function persist({ delivery, retryMs }: Sending, first: Promise<Attempt>): Promise<void> {
    const from = monotonic();
    let tries = 0;
    for (let attempt = await first; ; attempt = await post({ delivery })) {
      log.attempts.push(attempt);
      if (isAcknowledged(attempt)) {
        await confirm(delivery);
        patientSince = Math.max(patientSince, monotonic());
        return;
      }
      if (typeof attempt.outcome === 'number' && !RETRIABLE.includes(attempt.outcome)) {
        log.broken.push({ what: `${delivery.name} was answered ${attempt.outcome}`, ids: delivery.ids });
        return;
      }
      if (isClosed) return;
      if (monotonic() > Math.max(from, patientSince) + patienceMs) {
        log.broken.push({ what: `${delivery.name} is not acknowledged in time`, ids: delivery.ids });
        return;
      }
      // Later each time, so that receivers that are behind catch up.
      await sleep(retryMs * Math.min(2 ** tries++, LONGEST_WAIT));
    }
  }

  return {
    /** Resolves when every copy of the sending was acknowledged. */
    async send(sending: Sending) {
      const copies = Array.from({ length: sending.copies }, () => post(sending));
      await Promise.all(copies.map((first) => persist(sending, first)));
    },
    close() {
      isClosed = true;
      agent.destroy();
    },
  };
}
