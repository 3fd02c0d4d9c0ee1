import type { Attempt, Log } from './log.js';

/** How much later than of its broken connections one may hear of the death of a process. */
const NOTICE_MS = 500;

/**
 * Looks at every request to a receiver that was told to end, and at every connection that broke. Counts requests that a
 * draining receiver refused, that crossed its closing of idle sockets, and connections that broke for no reason.
 */
export function checkEndings(log: Log) {
  const counts = { refused: 0, crossed: 0, resets: 0 };
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
