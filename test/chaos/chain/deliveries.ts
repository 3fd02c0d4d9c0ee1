import type { WebhookEvent } from '../../../src/index.js';
import { sendingOf, signed } from '../plan.js';
import type { Random } from '../random.js';
import { eventOf } from './events.js';
import type { ChainStep, History } from './history.js';
import { allHappenings, happeningsOf } from './logs.js';

/** One event of a delivery, and the id of what it is about. */
interface Item {
  readonly id: string;
  readonly event: WebhookEvent;
}

/** How often a delivery is lost for ever, late, or of events that another delivery has too. */
const LOST = 0.15;
const LATE = 0.1;
const TWICE = 0.2;
/** A service may be faster than the node that is asked, and slower. */
const EARLIEST_MS = -150;
const LATEST_MS = 900;
const LATE_MS = 3000;

/**
 * Every block is told when it comes to be of the chain, again under other ids when it is put back, and the removal of its
 * logs when it no longer is: repeated, delayed, in no order, and some of it never.
 */
export function chainDeliveries(history: History, random: Random) {
  const groups = history.steps.flatMap((step) => groupsOf(step, random).map((items) => ({ items, step })));
  const sent = groups.filter(() => !random.chance(LOST));
  const again = sent.flatMap(({ items, step }) => {
    const some = items.filter(() => random.chance(TWICE));
    return some.length > 0 ? [{ items: some, step }] : [];
  });
  const all = [...sent, ...again].map(({ items, step }, index) => {
    const events = items.map(({ event }) => event);
    const [first] = events;
    const delivery = {
      name: `delivery ${index}`,
      ids: items.map(({ id }) => id),
      signed: signed(first && random.chance(0.1) ? [...events, first] : events),
    };
    return { delivery, step };
  });
  const sendings = all.flatMap(({ delivery, step }) =>
    Array.from({ length: random.int(1, 3) }, () => {
      const delay = random.chance(LATE) ? LATE_MS : LATEST_MS;
      return sendingOf(delivery, Math.max(0, step.atMs + random.int(EARLIEST_MS, delay)), random);
    }),
  );
  const told = new Set(all.flatMap(({ delivery }) => delivery.ids));
  return {
    events: sent.flatMap(({ items }) => items.map(({ event }) => event)),
    deliveries: all.map(({ delivery }) => delivery),
    sendings: sendings.sort((a, b) => a.atMs - b.atMs),
    /** What is final at the end, and in no delivery. */
    lost: [...allHappenings(history).finalSince.keys()].filter((id) => !told.has(id)),
  };
}

function groupsOf({ added, removed }: ChainStep, random: Random): Item[][] {
  const told = added.flatMap(happeningsOf).map((each) => ({ id: each.id, event: eventOf(each, random) }));
  const takenBack = removed
    .flatMap(happeningsOf)
    .filter(({ logIndex }) => logIndex !== undefined)
    .reverse()
    .map((each) => ({ id: `${each.id}-r`, event: eventOf(each, random, true) }));
  const left = [...takenBack, ...told];
  const groups: Item[][] = [];
  while (left.length > 0) groups.push(left.splice(0, random.chance(0.15) ? random.int(9, 25) : random.int(1, 6)));
  return groups;
}
