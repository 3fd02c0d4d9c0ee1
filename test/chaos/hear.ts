import { byProcess, type Log } from './log.js';
import type { Message } from './messages.js';

/** What is reported of an event whose handler or record took too long: it may have had an effect, and counts as failed. */
const LATE = ['ERR_WEBHOOK_HANDLER_TIMEOUT', 'ERR_WEBHOOK_STORE'];

/** Notes what a process tells. */
export function hear(message: Message, pid: number, log: Log): void {
  if ('code' in message) {
    const { code, id } = message;
    log.codes[code] = (log.codes[code] ?? 0) + 1;
    if (id !== undefined && LATE.includes(code)) log.late.add(byProcess(id, pid));
    if (id !== undefined && code === 'ERR_WEBHOOK_OUTCOME_UNKNOWN') log.unknown.add(id);
  }
  if ('recorded' in message) {
    const { recorded, at } = message;
    log.recorded.set(recorded, Math.min(at, log.recorded.get(recorded) ?? at));
  }
  if ('started' in message) log.starts.push({ ...message.start, id: message.started });
  if ('ended' in message) {
    const { ended, claimed, at } = message;
    for (const id of ended) log.ended.set(id, { pid, claimed, at, isOver: false });
  }
  if ('over' in message) {
    for (const each of message.over.map((id) => log.ended.get(id))) if (each?.pid === pid) each.isOver = true;
  }
  if ('overran' in message) log.overruns.push({ pid, ids: message.overran, claimed: message.claimed });
  if ('misuse' in message) log.misuses.push(message.misuse);
  if ('dropped' in message) log.dropped.push({ id: message.dropped, at: message.at });
  if ('cursor' in message) log.cursors.push(message.cursor);
  if ('madeGood' in message) {
    for (const id of message.madeGood) log.madeGood.add(byProcess(id, pid));
    log.told.push({ pid, at: message.at });
  }
  if ('reconciled' in message) log.reconciled.push(message.reconciled);
  if ('draining' in message) log.endings.set(pid, { draining: message.draining });
  if ('closing' in message) {
    const ending = log.endings.get(pid);
    if (ending) Object.assign(ending, { closing: message.closing, unfinished: message.unfinished });
  }
  if ('broken' in message) log.broken.push({ what: message.broken, ids: [message.id] });
}
