// Strangers and genuine senders at a receiver with an asynchronous `secret`, in virtual time: nothing depends on the machine.

import type { createReceiver, signDelivery } from '../../src/index.js';
import { Agenda } from '../../test/simulation/kernel/agenda.js';

/** Uniform numbers from 0 to 1 by a seed: mulberry32. */
function randomBy(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Ours {
  readonly createReceiver: typeof createReceiver;
  readonly signDelivery: typeof signDelivery;
}

interface Settings {
  readonly overload: number;
  readonly maxLookUps?: number;
  readonly lookUpMs?: number;
  readonly genuine?: number;
  readonly seed?: number;
  readonly connections?: number;
  readonly steady?: boolean;
}

/**
 * Plays deliveries at `overload` times the capacity of look-ups (`maxLookUps` ÷ `lookUpMs`): at random times, one in ten of
 * them genuine; or, `steady`, like clockwork, so that strangers come just when a place becomes free.
 * Returns the share of genuine deliveries that were answered 200, over 1 ÷ `overload`, and the most look-ups at once.
 */
export async function playLookUps(
  { createReceiver, signDelivery }: Ours,
  settings: Settings,
): Promise<{ readonly share: number; readonly most: number }> {
  const { overload, maxLookUps = 100, lookUpMs = 50, genuine = 600, seed = 1, steady = false } = settings;
  const { connections = maxLookUps } = settings;
  const agenda = new Agenda();
  const random = randomBy(seed);
  const waiting: ((found: { secret: string; source: string }) => void)[] = [];
  let now = 0;
  let [free, underWay, most, answered] = [connections, 0, 0, 0];

  /** Look-ups of a pool: those without a connection wait. */
  function connect() {
    while (free > 0 && waiting.length > 0) {
      free--;
      const found = waiting.shift();
      agenda.add(now + (lookUpMs * connections) / maxLookUps, () => {
        free++;
        underWay--;
        found?.({ secret: 'whsec', source: 'a' });
        connect();
      });
    }
  }

  const receiver = createReceiver({
    maxLookUps,
    secret: () => {
      most = Math.max(most, ++underWay);
      const found = new Promise<{ secret: string; source: string }>((resolve) => waiting.push(resolve));
      connect();
      return found;
    },
    store: false,
    onEvent: () => {},
  });
  const { signature, timestamp } = signDelivery('[]', { secret: 'whsec' });
  const forged = { rawBody: '[', signature: '0'.repeat(64), timestamp };
  const genuineOne = { rawBody: '[]', signature, timestamp };
  const send = async (isGenuine: boolean) => {
    const { status } = await receiver.handle(isGenuine ? genuineOne : forged);
    if (isGenuine && status === 200) answered++;
  };
  const everyMs = lookUpMs / maxLookUps / overload;
  // Ten look-ups later the receiver is as full as it gets.
  const fullAt = 10 * lookUpMs;
  let time = 0;
  if (steady) {
    for (let at = 0; at < genuine; at++) agenda.add(fullAt + seed + at * 20, () => void send(true));
    for (; time < fullAt + genuine * 20; time += everyMs) agenda.add(time, () => void send(false));
  } else {
    for (let left = genuine; left > 0; time -= everyMs * Math.log(1 - random())) {
      const isGenuine = time > fullAt && random() < 0.1;
      if (isGenuine) left--;
      agenda.add(time, () => void send(isGenuine));
    }
  }
  const drawn = Math.random;
  Math.random = random;
  try {
    for (let due = agenda.next(); due; due = agenda.next()) {
      now = due.at;
      due.act?.();
      // What it causes without time passing: promises.
      await new Promise(setImmediate);
    }
  } finally {
    Math.random = drawn;
  }
  return { share: (answered / genuine) * overload, most };
}
