import type { Attempt, Verdict } from './delivery-record.js';

/** Statuses of a receiver that checked a delivery and refused it. 404 or 429, for example, mean it was not checked. */
const REFUSALS = new Set([400, 401, 403, 422]);

/** The verdict of an attempt, by its response. */
export function verdictOf({
  status,
  reason,
  code,
  durationMs,
}: Pick<Attempt, 'status' | 'reason' | 'code' | 'durationMs'>): Verdict {
  if (status !== undefined) {
    if (status >= 200 && status < 300) return 'accepted';
    return REFUSALS.has(status) ? 'refused' : 'failed';
  }
  return reason === undefined && code === undefined && durationMs === undefined ? 'pending' : 'failed';
}
