import { certain, type Finding, likely } from './finding.js';
import type { ReadOptions } from './options.js';
import { ageText, isTimestamp } from './text.js';
import { timestampFaults } from './timestamp.js';

/** Time zone offsets from UTC, in hours. */
const ZONES = [...Array.from({ length: 14 }, (_, at) => at + 1), 3.5, 4.5, 5.5, 5.75, 6.5, 9.5];
/** Allowance for transit time and clock error, in addition to the time zone offset. */
const SLACK_SECONDS = 30;

/** A time with this many digits is in the year 5138, or in milliseconds. */
const LATEST_SECONDS = 1e11;

/** A difference in seconds, in words. Exact where it may be close to the tolerance. */
const inWords = (seconds: number) =>
  Math.abs(seconds) < 7200 ? `${Math.ceil(Math.abs(seconds))} s` : ageText(seconds * 1000);

/** Findings about the age of a delivery; `[]` if it is fresh. */
export function findAge(timestamp: string, { now, toleranceSeconds, readBy }: ReadOptions): Finding[] {
  if (!isTimestamp(timestamp)) return [];
  const age = now / 1000 - Number(timestamp);
  if (Math.abs(age) <= toleranceSeconds) return [];
  if (Number(timestamp) >= LATEST_SECONDS) return [certain(timestampFaults['timestamp-milliseconds'])];
  const allowed = `${toleranceSeconds} s are allowed`;
  const hours = ZONES.find((zone) => Math.abs(Math.abs(age) - zone * 3600) <= SLACK_SECONDS);
  const zone = hours === undefined ? [] : [inOtherZone(hours, age > 0)];
  // A delivery that is resent after an hour has the same age as one from a clock in local time.
  return age > 0
    ? [stale(inWords(age), allowed, readBy === undefined), ...zone]
    : [...zone, ahead(inWords(age), allowed)];
}

const stale = (age: string, allowed: string, mayBeSaved: boolean): Finding => ({
  cause: 'timestamp-stale',
  what: `The delivery is ${age} old; ${allowed}. It waited in a queue or was retried, or a clock is wrong.`,
  confidence: 'certain',
  fix: `${mayBeSaved ? 'If it was saved, explain it with the time at which it arrived (`now`). ' : ''}Put the queue behind the receiver (docs/queues/index.md). Sign each retry again, or set toleranceSeconds: false if the sender cannot. If it was sent just now, set the clocks by NTP (docs/operate/proxies.md#clocks).`,
});

const ahead = (age: string, allowed: string): Finding => ({
  cause: 'timestamp-ahead',
  what: `The timestamp is ${age} ahead of your clock; ${allowed}.`,
  confidence: 'certain',
  fix: 'Your clock is slow, or that of the sender is fast: set yours by NTP (timedatectl, w32tm /resync; a virtual machine or a container that slept) and compare.',
});

const inOtherZone = (hours: number, isOld: boolean): Finding =>
  likely({
    cause: 'clock-time-zone',
    what: `The timestamp is off by almost exactly ${hours} h (${isOld ? 'old' : 'ahead'}): one of the clocks treats local time as UTC.`,
    fix: 'Unix time has no time zone: use Math.floor(Date.now() / 1000), and add a Z to a date without an offset before you parse it. Check the time zone of the hardware clock (timedatectl).',
  });
