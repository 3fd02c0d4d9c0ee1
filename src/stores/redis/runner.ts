import type { WebhookError } from '../../errors.js';
import { storeError } from '../bounded-calls.js';
import { type Asked, inBatches, type Send } from './batches.js';
import { isCluster, type RedisLike, scriptsOf } from './client.js';
import { bySlot } from './slots.js';

export type Runner = ReturnType<typeof runnerOf>;

/** Redis accepts only whole milliseconds. */
export const whole = (ms: number): string => String(Math.ceil(ms));

/** Runs scripts over the keys of a store, in a cluster once for each slot. A script returns one answer for each key. */
export function runnerOf(client: RedisLike, prefix: string) {
  const bySlots = bySlot(isCluster(client));
  const { run, areOverHttp = false } = scriptsOf(client);

  async function list(script: string, keys: readonly string[], args: readonly string[]) {
    const answers = await run(script, keys, args);
    if (!Array.isArray(answers)) throw unexpected();
    return answers as readonly unknown[];
  }

  /** After the arguments come the first of each key's own, then the second of each. */
  const sending =
    (script: string, args: readonly string[]): Send =>
    async (asked) => {
      const own = (asked[0]?.own ?? []).flatMap((_, at) => asked.map((each) => each.own[at] as string));
      const keys = asked.map(({ key }) => key);
      const answers = await list(script, keys, [...args, ...own]);
      if (answers.length !== asked.length) throw unexpected();
      return answers;
    };

  return {
    areOverHttp,
    /** Returns a function that runs a script with the same arguments for all keys; concurrent calls are batched. */
    together(script: string, args: readonly string[]): Send {
      const send = sending(script, args);
      const batch = inBatches(send);
      return (asked) =>
        bySlots(
          asked.map(({ key, own }): Asked => ({ key: prefix + key, own })),
          batch,
          send,
        );
    },
    apart(script: string, keys: readonly string[], args: readonly string[] = []) {
      const send = sending(script, args);
      return bySlots(
        keys.map((key): Asked => ({ key: prefix + key, own: [] })),
        send,
        send,
      );
    },
    /** Runs a script over one key, whose answer is a list. */
    single: (script: string, key: string, args: readonly string[]) => list(script, [prefix + key], args),
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
