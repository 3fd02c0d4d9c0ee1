import type { Attempt, Log } from './log.js';

/** What SIGTERMs did to the sender. */
export interface Endings {
  /** Requests that a draining receiver refused. */
  readonly refused: number;
  /** Requests that were written when the receiver had been drained and was closing: they cross its closing of idle sockets. */
  readonly crossed: number;
  /** Connections that broke though nothing had happened to the receiver. */
  readonly resets: number;
  /** Handlers and records that receivers gave up when they ended. */
  readonly unfinished: number;
}

/** How much later than of its broken connections one may hear of the death of a process. */
const NOTICE_MS = 500;

/** Looks at every request to a receiver that was told to end, and at every connection that broke. */
export function checkEndings(log: Log): Endings {
  const endings = [...log.endings.values()];
  const unfinished = endings.reduce((sum, ending) => sum + (ending.unfinished ?? 0), 0);
  const counts = { refused: 0, crossed: 0, resets: 0, unfinished };
  const breaks = (what: string, { delivery }: Attempt) => log.broken.push({ what, ids: [...delivery.ids] });
  for (const attempt of log.attempts) {
    const { pid, from, written, to, outcome, closes } = attempt;
    const ending = pid === undefined ? undefined : log.endings.get(pid);
    if (ending && typeof outcome === 'number' && from > ending.draining) {
      counts.refused++;
      if (outcome !== 503) breaks(`was answered ${outcome} by a receiver that drains`, attempt);
      else if (!closes) breaks('was refused by a receiver that drains, without Connection: close', attempt);
    }
    if (outcome !== 'broken') continue;
    const wasKilled = log.outages.some((outage) => {
      return outage.kind === 'kill' && outage.pid === pid && outage.from >= from && outage.from <= to + NOTICE_MS;
    });
    if (wasKilled) continue;
    const hasCrossed = ending?.closing !== undefined && (written ?? to) >= ending.closing;
    if (hasCrossed) counts.crossed++;
    else {
      counts.resets++;
      breaks('met a reset connection of a receiver that was not killed', attempt);
    }
  }
  return counts;
}
