import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import type { Answer, Parcel } from '../post.js';
import { bytesOf } from './events.js';

/** What a run needs. */
export interface BenchOptions {
  readonly secret: string;
  readonly headers: HeaderNames;
  readonly send: (parcel: Parcel) => Promise<Answer>;
  /** Resolves with the number of effects of events in the app. Rejects with a CounterError. */
  readonly counter?: (() => Promise<number>) | undefined;
  /** Opens connections that send half a body, and returns a function that closes them. Or says why it must not. */
  readonly hold: ((half: Parcel) => Promise<() => void>) | string;
  /** Whether a timestamp that is far off must be refused. */
  readonly window: boolean;
  /** Id of an event for which the app's handler fails. */
  readonly failId?: string | undefined;
  /** The clock, in Unix milliseconds. */
  readonly now: () => number;
  /** How long after the answer an effect may come, in ms. (Default: 2000.) */
  readonly lateMs?: number | undefined;
  /** How long to wait for another effect of a duplicate, in ms. (Default: 250.) */
  readonly furtherMs?: number | undefined;
}

/** A request: the body, and the values of the two headers. Several values are several lines. */
export interface Request {
  readonly body: Uint8Array;
  readonly signature?: string | readonly string[] | undefined;
  readonly timestamp?: string | readonly string[] | undefined;
}

/** The result of sending, with the number of effects; undefined without a counter. */
export interface Counted<Value> {
  readonly value: Value;
  readonly effects?: number | undefined;
  /** Milliseconds from the answer to the last effect; 0 if it was there with the answer. */
  readonly lateMs: number;
}

export type Bench = ReturnType<typeof createBench>;

const LOOK_MS = 25;

/** Sends to one receiver, and counts effects. */
export function createBench(options: BenchOptions) {
  const { secret, headers, now, lateMs = 2000, furtherMs = 250 } = options;
  let counter = options.counter;
  /** Whether effects have come after their answer. */
  let isLate = false;

  /** The digest that authenticates a body with a timestamp. */
  const digest = (body: Uint8Array, timestamp: string, key = secret) =>
    createHmac('sha256', key).update(body).update(timestamp).digest('hex');
  const seconds = () => Math.floor(now() / 1000);
  const sign = (body: Uint8Array, timestamp = String(seconds()), key = secret) => ({
    ...{ body, timestamp },
    signature: digest(body, timestamp, key),
  });

  function parcel({ body, signature = [], timestamp = [] }: Request, names = headers): Parcel {
    const lines = (name: string, values: string | readonly string[]) =>
      [values].flat().map((value) => [name, value] as const);
    const own = [['Content-Type', 'application/json'] as const, ['User-Agent', 'Go-http-client/1.1'] as const];
    return { body, headers: [...own, ...lines(names.signature, signature), ...lines(names.timestamp, timestamp)] };
  }

  const send = (request: Request, names?: HeaderNames) => options.send(parcel(request, names));
  /** Signs events at the current second, and sends them. */
  const deliver = (...events: readonly unknown[]) => send(sign(bytesOf(events)));

  /** Counts the effects of what `act` sends, which should be `expected`. */
  async function count<Value>(expected: number, act: () => Promise<Value>): Promise<Counted<Value>> {
    if (counter === undefined) return { value: await act(), lateMs: 0 };
    // Effects of an earlier case may still come.
    if (isLate) await sleep(furtherMs);
    const before = await counter();
    const value = await act();
    const answered = performance.now();
    let after = await counter();
    let late = 0;
    while (after - before < expected && performance.now() - answered < lateMs) {
      await sleep(LOOK_MS);
      after = await counter();
      late = performance.now() - answered;
    }
    isLate ||= late > 0;
    return { value, effects: after - before, lateMs: late };
  }

  /** Like `count`, and waits for further effects, as those of a duplicate are. */
  async function countAll<Value>(expected: number, act: () => Promise<Value>): Promise<Counted<Value>> {
    return await count(expected, async () => {
      const value = await act();
      if (counter) await sleep(furtherMs);
      return value;
    });
  }

  return {
    ...options,
    ...{ digest, seconds, sign, parcel, send, deliver, count, countAll },
    get isCounting() {
      return counter !== undefined;
    },
    /** Judges by status only from here on. */
    stopCounting() {
      counter = undefined;
    },
  };
}
