import type { EventEntry } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';

export const keyOf = (id: string) => `event.emitted:${id}`;
export const idsOf = (entries: readonly EventEntry[]) => entries.map((entry) => entry.event.id);
export const statuses = (result: { outcomes: readonly { status: string }[] }) =>
  result.outcomes.map(({ status }) => status);
export const delivery = (...ids: string[]) => signed(ids.map((id) => event(id)));

/** A receiver whose `onEvents` notes the ids of each call, then does `handle`. */
export function atOnce<Tx>(
  settings: Parameters<typeof noting<Tx>>[0] = {},
  handle: (ids: string[]) => unknown = () => {},
) {
  const calls: string[][] = [];
  const onEvents = (entries: readonly EventEntry[]) => {
    calls.push(idsOf(entries));
    return handle(idsOf(entries));
  };
  return { calls, ...noting<Tx>({ ...settings, onEvents: onEvents as never }) };
}
