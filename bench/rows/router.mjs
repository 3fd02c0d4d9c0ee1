import { pick } from '../lib/effort.mjs';
import { createRouter, sampleEventEmitted } from '../lib/ours.mjs';
import { interleave, ratios, summarise } from '../lib/stats.mjs';

// What is timed is dispatch alone, over deliveries of 100 events each of which is parsed just before, as in a receiver:
// every string is new, and what parsing touched has pushed routes out of the caches. Each route has a handler of its own.
const DELIVERIES = 100;
const EVENTS = 100;
const CONTRACTS = 1000;
const NAMES = [
  'Transfer',
  'Approval',
  'Swap',
  'Mint',
  'Burn',
  'Sync',
  'Deposit',
  'Withdrawal',
  'Paused',
  'RoleGranted',
];

/** Addresses with digits in both cases, as checksummed ones have; the same ones in every run. */
function addressOf(index) {
  let state = index + 1;
  const digit = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return '0123456789abcdefABCDEF'[(state >>> 16) % 22];
  };
  return `0x${String(index).padStart(4, '0')}${Array.from({ length: 36 }, digit).join('')}`;
}

const ALL = Array.from({ length: CONTRACTS }, (_, index) => addressOf(index)).flatMap((address) =>
  NAMES.map((name) => ({ name, address })),
);
const FEW = ALL.slice(0, 10);

let handled = 0;
const newHandler = () => () => {
  handled++;
};

function routerOver(routes) {
  const router = createRouter();
  for (const route of routes) router.on('event.emitted', route, newHandler());
  return router.dispatch;
}

/** The least that somebody would write by hand: it knows one shape of route, and falls back to no other. */
function mapOver(routes) {
  const handlers = new Map();
  for (const { name, address } of routes) handlers.set(`${address.toLowerCase()} ${name}`, newHandler());
  return ({ data: { event } }, context) => {
    handlers.get(`${event.contract.address.toLowerCase()} ${event.name}`)?.(event, context);
  };
}

/** Deliveries of events of these routes, evenly and in no order, as the JSON text of each. */
function deliveriesOf(routes) {
  let next = 0;
  const event = () => {
    next = (next + 7919) % ALL.length;
    const { name, address } = routes[next % routes.length];
    return sampleEventEmitted({ data: { event: { name, contract: { address } } } });
  };
  return Array.from({ length: DELIVERIES }, () => JSON.stringify(Array.from({ length: EVENTS }, event)));
}

const context = { idempotencyKey: 'key', timestamp: '1', tx: undefined, signal: undefined };

/** Milliseconds of dispatch for a delivery: the median, as a slice this short is long when another process cuts in. */
function timeOf({ dispatch, deliveries }) {
  handled = 0;
  const times = deliveries.map((text) => {
    const events = JSON.parse(text);
    const start = performance.now();
    for (const event of events) dispatch(event, context);
    return performance.now() - start;
  });
  if (handled !== DELIVERIES * EVENTS) throw new Error(`${handled} events were handled.`);
  return summarise(times).median;
}

const name = 'router: dispatch over 10 000 routes';

export const benchmarks = [
  {
    name,
    async run() {
      const [ofFew, ofAll] = [FEW, ALL].map(deliveriesOf);
      const candidates = {
        ten: { dispatch: routerOver(FEW), deliveries: ofFew },
        same: { dispatch: routerOver(ALL), deliveries: ofFew },
        spread: { dispatch: routerOver(ALL), deliveries: ofAll },
        mapTen: { dispatch: mapOver(FEW), deliveries: ofFew },
        mapSpread: { dispatch: mapOver(ALL), deliveries: ofAll },
      };
      for (const candidate of Object.values(candidates)) timeOf(candidate);
      const times = await interleave(candidates, pick(41, 9), timeOf);
      const row = (label, against, above, below, target) => {
        return { name: label, against, measure: 'time ×', target, ...summarise(ratios(times[above], times[below])) };
      };
      const spread = `${name}, events of all`;
      return [
        row(name, 'the same events over 10 routes', 'same', 'ten', { max: 1.2 }),
        row(spread, 'one bare Map of 10 000', 'spread', 'mapSpread', { max: 1 }),
        // Memory that no cache holds is what these two wait for, with a bare Map too: no routing can spare it.
        row(spread, 'over 10 routes, events of 10', 'spread', 'ten'),
        row(spread, 'same, a bare Map', 'mapSpread', 'mapTen'),
      ];
    },
  },
];
