import type { AbiEvent } from 'abitype';
import type { EventDetails, EventEmitted } from 'event-webhook-receiver';
import { decodeEvent, rawLog } from 'event-webhook-receiver/evm';

/** Logs have three topics for inputs, so that there are few ways of more inputs than this that anybody writes. */
const MOST_INPUTS = 12;
/** Longer data is not worth trying. */
const MOST_DATA = 100_000;
/** What a way takes beside its data, in characters that are decoded in the same time. */
const WAY = 500;

/**
 * The arguments of an event, exact and in the order of its inputs, for an event whose ABI nobody gave: its inputs tell
 * names and types, and which of them are indexed is tried. Undefined when no way, or more than one, fits the log.
 *
 * @param spend Whether so many characters may be decoded. Nobody has verified them: there may be many ways of much data.
 */
export function decodeByWire(
  event: EventEmitted,
  spend: (characters: number) => boolean,
): readonly unknown[] | undefined {
  const { name, inputs } = event.data.event;
  const log = rawLog(event);
  if (log === undefined || inputs.length > MOST_INPUTS || log.data.length > MOST_DATA) return undefined;
  const found = new Map<string, readonly unknown[]>();
  const ways = choices(inputs, log.topics.length - 1);
  if (!spend(ways.length * (log.data.length + WAY))) return undefined;
  for (const indexed of ways) {
    const abi: AbiEvent[] = [
      { type: 'event', name, inputs: inputs.map(({ type }, at) => ({ name: '', type, indexed: indexed.has(at) })) },
    ];
    try {
      const args = (decodeEvent(event, abi).args ?? []) as readonly unknown[];
      found.set(args.map(String).join(), args);
    } catch {
      // Not this one.
    }
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}

/** Every way to choose the positions of so many indexed inputs; those that are hashed are. */
function choices(inputs: EventDetails['inputs'], count: number): Set<number>[] {
  const hashed = inputs.flatMap(({ hashed }, at) => (hashed ? [at] : []));
  const free = inputs.flatMap(({ hashed }, at) => (hashed ? [] : [at]));
  let ways: number[][] = [hashed];
  for (const at of free) {
    ways = ways.flatMap((way) => (way.length < count ? [way, [...way, at]] : [way]));
  }
  return ways.filter((way) => way.length === count).map((way) => new Set(way));
}
