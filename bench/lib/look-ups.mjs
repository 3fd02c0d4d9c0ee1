// Strangers and genuine senders at a receiver with an asynchronous `secret`, in virtual time: nothing depends on the machine.

/** Uniform numbers from 0 to 1 by a seed: mulberry32. */
function randomBy(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What happens at virtual times, in ms; in the order in which it was planned where times are the same. */
class Agenda {
  now = 0;
  #planned = [];

  at(time, act) {
    let low = 0;
    let high = this.#planned.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#planned[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    this.#planned.splice(low, 0, { time, act });
  }

  async play() {
    for (;;) {
      const next = this.#planned.shift();
      if (next === undefined) return;
      this.now = next.time;
      next.act();
      // What it causes without time passing: promises.
      await new Promise(setImmediate);
    }
  }
}

/**
 * Plays deliveries at `overload` times the capacity of look-ups (`maxLookUps` ÷ `lookUpMs`): at random times, one in ten of
 * them genuine; or, `steady`, like clockwork, so that strangers come just when a place becomes free.
 * Returns the share of genuine deliveries that were answered 200, over 1 ÷ `overload`, and the most look-ups at once.
 */
export async function playLookUps({ createReceiver, signDelivery }, settings) {
  const { overload, maxLookUps = 100, lookUpMs = 50, genuine = 600, seed = 1, steady = false } = settings;
  const { connections = maxLookUps } = settings;
  const agenda = new Agenda();
  const random = randomBy(seed);
  const waiting = [];
  let [free, underWay, most, answered] = [connections, 0, 0, 0];

  /** Look-ups of a pool: those without a connection wait. */
  function connect() {
    while (free > 0 && waiting.length > 0) {
      free--;
      const found = waiting.shift();
      agenda.at(agenda.now + (lookUpMs * connections) / maxLookUps, () => {
        free++;
        underWay--;
        found({ secret: 'whsec', source: 'a' });
        connect();
      });
    }
  }

  const receiver = createReceiver({
    maxLookUps,
    secret: () => {
      most = Math.max(most, ++underWay);
      const found = new Promise((resolve) => waiting.push(resolve));
      connect();
      return found;
    },
    store: false,
    onEvent: () => {},
  });
  const { signature, timestamp } = signDelivery('[]', { secret: 'whsec' });
  const deliveries = [
    { rawBody: '[', signature: '0'.repeat(64), timestamp },
    { rawBody: '[]', signature, timestamp },
  ];
  const send = async (isGenuine) => {
    const { status } = await receiver.handle(deliveries[Number(isGenuine)]);
    if (isGenuine && status === 200) answered++;
  };
  const everyMs = lookUpMs / maxLookUps / overload;
  // Ten look-ups later the receiver is as full as it gets.
  const fullAt = 10 * lookUpMs;
  let time = 0;
  if (steady) {
    for (let at = 0; at < genuine; at++) agenda.at(fullAt + seed + at * 20, () => void send(true));
    for (; time < fullAt + genuine * 20; time += everyMs) agenda.at(time, () => void send(false));
  } else {
    for (let left = genuine; left > 0; time -= everyMs * Math.log(1 - random())) {
      const isGenuine = time > fullAt && random() < 0.1;
      if (isGenuine) left--;
      agenda.at(time, () => void send(isGenuine));
    }
  }
  const drawn = Math.random;
  Math.random = random;
  try {
    await agenda.play();
  } finally {
    Math.random = drawn;
  }
  return { share: (answered / genuine) * overload, most };
}
