import type { AbiEvent } from 'abitype';
import type { EventEmitted } from 'event-webhook-receiver';
import { decodeEvent, rawLog } from 'event-webhook-receiver/evm';
import type { EventDetails } from 'event-webhook-receiver/schemas';
import { attempt } from '../guards.js';

/** Events with more inputs are not tried: a log has three topics for indexed inputs, and hardly any event has more inputs. */
const MOST_INPUTS = 12;
/** Longer data is not tried. */
const MOST_DATA = 100_000;
/** Fixed cost of an attempt, as a number of decoded characters. */
const WAY = 500;

/**
 * The exact arguments of an event without an ABI, in the order of its inputs. The inputs have names and types; the
 * indexed ones are found by trying. Undefined unless exactly one choice matches the log.
 *
 * @param spend Whether this many characters may still be decoded. Bounds the work for an untrusted event.
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
    // Undefined if this choice does not match.
    const args = attempt(() => (decodeEvent(event, abi).args ?? []) as readonly unknown[]);
    if (args) found.set(args.map(String).join(), args);
  }
  return found.size === 1 ? [...found.values()][0] : undefined;
}

/** Every choice of positions for this many indexed inputs; hashed inputs are always indexed. */
function choices(inputs: EventDetails['inputs'], count: number): Set<number>[] {
  const hashed = inputs.flatMap(({ hashed }, at) => (hashed ? [at] : []));
  const free = inputs.flatMap(({ hashed }, at) => (hashed ? [] : [at]));
  let ways: number[][] = [hashed];
  for (const at of free) {
    ways = ways.flatMap((way) => (way.length < count ? [way, [...way, at]] : [way]));
  }
  return ways.filter((way) => way.length === count).map((way) => new Set(way));
}
