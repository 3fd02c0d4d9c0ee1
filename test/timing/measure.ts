// One measurement in a process by itself: `node measure.mjs <experiment> <calls>`. test/timing/run.ts bundles this file once
// for every backend, with its `#runtime`.
import { randomFillSync } from 'node:crypto';
import { hmacAhead, hmacHex } from '#runtime';
import { verifyWith } from '../../src/signature/verify-signature.js';
import { classOf, endsPair, type Pair, prefixPair, type Side } from './pairs.js';
import { TimingTest } from './welch.js';

const SECRET = 'whsec-timing';
const TIMESTAMP = '1700000000';
const PAIRS = 64;
const BATCH = 4096;
const WARM_UP = 24;

interface Call {
  readonly hmac: typeof hmacHex;
  readonly body: Uint8Array;
}

interface Experiment {
  readonly pair: () => Pair;
  readonly callOf: (side: Side) => Call | Promise<Call>;
}

const ofBody = (body: Uint8Array) => hmacHex(body, TIMESTAMP, SECRET);

const experiments: Readonly<Record<string, Experiment>> = {
  // The whole of verifySignature.
  prefix: { pair: () => prefixPair(256, ofBody), callOf: ({ body }) => ({ hmac: hmacHex, body }) },
  // All that sees the signature, without the noise of the HMAC.
  ends: { pair: () => endsPair(new Uint8Array(1)), callOf: ({ body, mac }) => ({ hmac: () => mac, body }) },
  // WebCrypto computes the HMAC ahead, from 4096 bytes on, and does not see the signature: the rest is timed.
  ahead: {
    pair: () => prefixPair(4096, ofBody),
    async callOf(side) {
      const [body, hmac] = await hmacAhead(side.body, TIMESTAMP, SECRET);
      if (hmac === hmacHex) throw new Error('This runtime has no WebCrypto.');
      return { hmac, body };
    },
  },
};

const bit = (byte: number, place: number): 0 | 1 => (byte & (1 << place) ? 1 : 0);

class Batch {
  readonly classes: (0 | 1)[] = [];
  readonly times = new Float64Array(BATCH);
  readonly #order = new Uint8Array(2 * BATCH);

  constructor(
    readonly pairs: readonly Pair[],
    readonly callOf: Experiment['callOf'],
  ) {}

  /** Draws the order first, makes every call ready, and then does nothing but call and read the clock. */
  async run(): Promise<void> {
    randomFillSync(this.#order);
    const sides: Side[] = [];
    const given: string[] = [];
    for (let at = 0; at < BATCH; at++) {
      const pair = this.pairs[(this.#order[at] ?? 0) % PAIRS] as Pair;
      const random = this.#order[BATCH + at] ?? 0;
      sides.push(pair.sides[bit(random, 0)]);
      given.push(pair.given[bit(random, 1)]);
      this.classes[at] = classOf(bit(random, 0), bit(random, 1));
    }
    time(await Promise.all(sides.map(this.callOf)), given, this.times);
  }
}

function time(calls: readonly Call[], givens: readonly string[], times: Float64Array): void {
  let accepted = 0;
  for (let at = 0; at < BATCH; at++) {
    const { hmac, body } = calls[at] as Call;
    const given = givens[at] as string;
    const start = performance.now();
    if (verifyWith(hmac, { rawBody: body, signature: given, timestamp: TIMESTAMP }, SECRET)) accepted++;
    times[at] = performance.now() - start;
  }
  if (accepted > 0) throw new Error('A wrong signature was accepted.');
}

const [name = '', calls] = process.argv.slice(2);
const experiment = experiments[name];
if (!experiment) throw new Error(`No experiment ${name}: ${Object.keys(experiments).join(', ')}.`);
const batch = new Batch(Array.from({ length: PAIRS }, experiment.pair), experiment.callOf);
for (let round = 0; round < WARM_UP; round++) await batch.run();
const test = new TimingTest(batch.times);
let counted = 0;
for (; counted < Number(calls); counted += BATCH) {
  await batch.run();
  for (let at = 0; at < BATCH; at++) test.add(batch.classes[at] ?? 0, batch.times[at] ?? 0);
}
console.log(JSON.stringify({ calls: counted, worst: test.worst }));
