// Why an event may take effect twice in a lease mode. `first` and `second` are claims of one key in the order in which the
// server granted them, and both of their runs took effect. Some time before the second grant, the first claim must have
// lost its key, and its record must not have been there:
//
// 1. The server had recorded the first, or the process that asked for the second still tried to record it: no cause.
// 2. The server had released the first: its handler failed after its effect.
// 3. Otherwise the lease of the first must have been over on the clock of the server; if not: no cause. Then one of these
//    kept the record from being there in time:
//    a. the process died before the record arrived;
//    b. the handler failed after its effect, and its release did not arrive;
//    c. the handler was still running: it hung, or the process was frozen, or the clock of the server was set forward;
//    d. the record was refused, because another claim had taken over (which is explained by itself);
//    e. the record was asked for in time and tried again whenever a try failed or was not answered, and none arrived: cuts,
//       half-open connections, latencies and freezes of the server or of the process. A store that tries late, or never,
//       has no cause; while its connection is silent, it may send nothing.
import { type Claim, frozenMs } from './lease-claims.js';

export interface LeaseTimes {
  readonly leaseMs: number;
  /** `timeoutMs` of the store. */
  readonly timeoutMs: number;
}

const FIRST_RETRY_MS = 25;
const LAST_RETRY_MS = 5000;
/** Timers count whole milliseconds. */
const SLACK_MS = 3;

/** Returns what is wrong if there is no cause. `silentAt`: when the store of the first sent nothing for the last time. */
export function flawOfDouble(first: Claim, second: Claim, times: LeaseTimes, silentAt: number): string | undefined {
  const grant = second.grants[0];
  const { run } = first;
  if (grant === undefined || run === undefined) return 'a run had no claim';
  const { at } = grant;
  const isBefore = (time: number | undefined) => time !== undefined && time <= at;
  const hasFailed = run.end === 'rejected' && isBefore(run.endedAt);
  if (isBefore(first.recordedAt)) return 'the server had recorded it';
  if (knewOf(first, second)) return 'the process knew that it took effect';
  if (isBefore(first.releasedAt)) return hasFailed ? undefined : 'it was released although its handler did not fail';
  if (second.robbed.has(first)) return 'its lease was not over';
  const hasDied = first.process.deaths.some((death) => death >= run.beganAt && death <= at);
  if (hasDied || hasFailed || !isBefore(run.endedAt) || isBefore(first.recordRefusedAt)) return undefined;
  return flawOfRecord(first, at, times, silentAt);
}

/** Whether the second was asked for by the process that still tried to record the first. */
function knewOf({ process, life, run, recordRefusedAt }: Claim, second: Claim): boolean {
  if (second.process !== process || second.life !== life || run?.end !== 'resolved') return false;
  const { askedAt } = second;
  return (run.endedAt ?? askedAt) < askedAt && !(recordRefusedAt !== undefined && recordRefusedAt < askedAt);
}

/** What is wrong with how the record was tried until the time `at`. */
function flawOfRecord(
  { recordTries, process, run }: Claim,
  at: number,
  times: LeaseTimes,
  silentAt: number,
): string | undefined {
  const endedAt = run?.endedAt ?? 0;
  const wasSilent = silentAt >= endedAt;
  /** When the next try is due after one that failed. */
  const dueAfter = (failedAt: number, tries: number) => {
    if (!wasSilent) return failedAt + Math.min(FIRST_RETRY_MS * 2 ** tries, LAST_RETRY_MS);
    // Tries that were refused do not show; each wait is at most as long as all before it and the first.
    const lastAt = Math.max(failedAt, silentAt);
    return lastAt + Math.min(FIRST_RETRY_MS + lastAt - endedAt, LAST_RETRY_MS);
  };
  const isLate = (dueAt: number, now: number) => now > dueAt + SLACK_MS + frozenMs(process, endedAt, now);
  let dueAt = wasSilent ? dueAfter(endedAt, 0) : endedAt;
  const tries = recordTries.filter(({ askedAt }) => askedAt <= at);
  for (const [index, { askedAt, failedAt }] of tries.entries()) {
    if (isLate(dueAt, askedAt)) return 'its record was tried late';
    dueAt = dueAfter(Math.min(failedAt ?? Number.POSITIVE_INFINITY, askedAt + times.timeoutMs), index);
  }
  if (!isLate(dueAt, at)) return undefined;
  return tries.length === 0 ? 'its record was not asked for' : 'its record was not tried again';
}
