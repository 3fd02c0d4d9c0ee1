import { pick } from './effort.mjs';
import { memoryStore } from './ours.mjs';
import { interleave, ratios, summarise } from './stats.mjs';

const MOST_KEYS = pick(1_000_000, 1_000_000, 20_000);
const SMALLEST = 1000;
const FLAT = { min: 0.85, max: 1.15 };
const SIZES = [SMALLEST, ...pick([10_000, 100_000], [10_000, 100_000], [10_000])];

/** Strings that nothing has hashed yet, in one piece, as JSON.parse gives them. */
function freshKeys(count) {
  return JSON.parse(JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID())));
}

const succeed = async () => {};

const SUBJECTS = {
  ours: () => {
    const store = memoryStore({ maxKeys: MOST_KEYS });
    return async (keys) => {
      for (const key of keys) if ((await store.once(key, succeed)) !== 'handled') throw new Error('Not handled.');
    };
  },
  // A bare Map in the same steps: how much longer V8 itself takes for a key among many.
  map: () => {
    const done = new Map();
    return async (keys) => {
      for (const key of keys) {
        if (done.has(key)) throw new Error('Not new.');
        await succeed();
        done.set(key, Date.now());
      }
    };
  },
};

/** Milliseconds a key for so many new keys. */
async function timed(remember, count) {
  const keys = freshKeys(count);
  if (count > SMALLEST) globalThis.gc();
  const start = performance.now();
  await remember(keys);
  return (performance.now() - start) / count;
}

/** Milliseconds a key while stores fill from half of `size` to all of it. */
async function timeToFill(subject, size) {
  const stores = Array.from({ length: Math.max(1, pick(100_000, 100_000, 0) / size) }, subject);
  let total = 0;
  for (const remember of stores) {
    await remember(freshKeys(size / 2));
    total += await timed(remember, size / 2);
  }
  return total / stores.length;
}

function heapUsed() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** A store that fills and goes on for as many keys: milliseconds a key in each, and its heap then over its heap when full. */
async function timeBeyond() {
  const empty = heapUsed();
  const remember = SUBJECTS.ours();
  const half = MOST_KEYS / 2;
  await remember(freshKeys(half));
  const filling = await timed(remember, half);
  const full = heapUsed() - empty;
  await remember(freshKeys(half));
  const beyond = await timed(remember, half);
  return { filling, beyond, heap: (heapUsed() - empty) / full, bytes: full / MOST_KEYS };
}

export const storeBenchmark = {
  name: 'memoryStore',
  async run() {
    const candidates = { large: timeBeyond, [`map ${MOST_KEYS}`]: () => timeToFill(SUBJECTS.map, MOST_KEYS) };
    for (const [name, subject] of Object.entries(SUBJECTS)) {
      for (const size of SIZES) candidates[`${name} ${size}`] = () => timeToFill(subject, size);
      await timeToFill(subject, 10_000);
    }
    const figures = await interleave(candidates, pick(3, 1), (measure) => measure());

    const { large } = figures;
    figures[`ours ${MOST_KEYS}`] = large.map(({ filling }) => filling);
    const row = (label, against, above, below, target) => {
      return { name: `memoryStore, ${label}`, against, measure: 'time ×', target, ...summarise(ratios(above, below)) };
    };
    const against = `a key at ${SMALLEST} keys`;
    const { [`ours ${SMALLEST}`]: ours, [`map ${SMALLEST}`]: map } = figures;
    const beyond = large.map((each) => each.beyond);
    const heap = summarise(large.map((each) => each.heap));
    const bytes = summarise(large.map((each) => each.bytes));
    return [
      ...[...SIZES.slice(1), MOST_KEYS].flatMap((size) => [
        row(`${size} keys`, against, figures[`ours ${size}`], ours, FLAT),
        row(`${size} keys`, 'same, a bare Map', figures[`map ${size}`], map),
      ]),
      row('beyond maxKeys', against, beyond, ours, FLAT),
      { name: 'memoryStore, beyond maxKeys', against: 'when full', measure: 'heap ×', target: { max: 1.1 }, ...heap },
      { name: `memoryStore, ${MOST_KEYS} keys`, against: 'nothing', measure: 'heap bytes a key', ...bytes },
    ];
  },
};
