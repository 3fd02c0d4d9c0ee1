import type { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import { inBatches, type Send, type SendOwned } from './batches.js';
import { isCluster, type RedisLike, scriptsOf } from './client.js';
import { bySlot } from './slots.js';

/** Runs scripts over the keys of a store, in a cluster once for each slot. A script returns one answer for each key. */
export interface Runner {
  /** Runs a script with a time in ms and an owner; concurrent calls are batched. */
  together(script: string, ms: number): SendOwned;
  apart(script: string, keys: readonly string[], args: readonly string[]): Promise<readonly unknown[]>;
  /** Runs a script over one key, whose answer is a list. */
  single(script: string, key: string, args: readonly string[]): Promise<readonly unknown[]>;
  readonly areOverHttp: boolean;
}

/** Redis accepts only whole milliseconds. */
export const whole = (ms: number): string => String(Math.ceil(ms));

export function runnerOf(client: RedisLike, prefix: string): Runner {
  const bySlots = bySlot(isCluster(client));
  const { run, areOverHttp = false } = scriptsOf(client);

  async function list(script: string, keys: readonly string[], args: readonly string[], length?: number) {
    const answers = await run(script, keys, args);
    if (!Array.isArray(answers) || (length !== undefined && answers.length !== length)) throw unexpected();
    return answers as readonly unknown[];
  }
  const named = (keys: readonly string[]) => keys.map((key) => prefix + key);

  return {
    areOverHttp,
    together(script, ms) {
      const time = whole(ms);
      const send: Send = (keys, owners) => list(script, keys, [time, ...owners], keys.length);
      const batch = inBatches(send);
      return (keys, owner) =>
        bySlots(
          named(keys),
          (all) => batch(all, owner),
          (some) =>
            send(
              some,
              some.map(() => owner),
            ),
        );
    },
    apart(script, keys, args) {
      const send = (some: readonly string[]) => list(script, some, args, some.length);
      return bySlots(named(keys), send, send);
    },
    single: (script, key, args) => list(script, [prefix + key], args),
  };
}

/** The answer for a key: a string or, depending on the client's settings, a Buffer. */
export function understood<Answer extends string>(answer: unknown, known: readonly Answer[]): Answer {
  const text = textOf(answer);
  for (const each of known) if (each === text) return each;
  if (text.startsWith('error:')) throw storeError(`Redis cannot read a key of the store: ${text.slice(6)}`);
  throw unexpected();
}

/** Empty for a list, whose text would be that of its items. */
export const textOf = (answer: unknown): string => (Array.isArray(answer) ? '' : String(answer));

/** The error for an unexpected answer, for example from a client that takes callbacks. The outcome is unknown. */
export function unexpected(): WebhookError {
  return storeError(
    'The Redis client returned an unexpected answer. Pass redisStore a client whose commands return promises.',
  );
}
