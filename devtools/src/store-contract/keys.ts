import type { IdempotencyStore } from 'event-webhook-receiver';
import { unique } from './call.js';
import type { Cases, Trial } from './trial.js';
import { show, showKey } from './words.js';

export const keyCases: Cases = {
  async 'remembers a key for its retention, and forgets it afterwards'(trial) {
    const retentionMs = 1000;
    const [store, other] = await trial.replicas({ retentionMs });
    const key = unique();
    const start = trial.time();
    await trial.handled(trial.call(store, key), 'The first call of a key');
    /** Expects that the key is remembered, unless a slow machine has used up its retention. */
    async function remembered(what: string): Promise<void> {
      const call = await trial.patiently(() => trial.call(other, key), what);
      if (trial.time() - start > retentionMs - 100) return;
      await trial.answers(call, 'duplicate', what);
      trial.notRun(call, what);
    }
    await remembered(`An event took effect less than its retention of ${retentionMs} ms ago`);
    await trial.passTime(500);
    await remembered(`An event took effect half of its retention of ${retentionMs} ms ago (retentionMs)`);
    await trial.passTime(600);
    const forgotten = `The retention of a key is over (${retentionMs} ms, retentionMs)`;
    const again = trial.time();
    await trial.becomesFree(other, key, forgotten);
    const call = await trial.patiently(() => trial.call(store, key), forgotten);
    if (trial.time() - again > retentionMs - 100) return;
    await trial.answers(call, 'duplicate', 'An event took effect after its key had been forgotten');
  },

  async 'accepts any key, and confuses no two of them'(trial) {
    const [store, other] = await trial.replicas();
    const keys = hostileKeys(unique());
    // Names without a prefix may exist already, if the server keeps them from an earlier run of the suite.
    for (const key of ['', '__proto__', 'constructor']) {
      await trial.oneOf(trial.call(store, key), ['handled', 'duplicate'], `${show(key)} is a key like any other`);
      await trial.duplicate(other, key, `${show(key)} is a key that has taken effect`);
    }
    for (const [index, key] of keys.entries()) {
      const call = trial.call(store, key);
      const outcome = await trial.settled(call, `${showKey(key)} is a new key`);
      const isKnown = 'answer' in outcome && outcome.answer === 'duplicate';
      const mistake = isKnown ? await confusion(trial, store, index) : undefined;
      await trial.handled(call, mistake ?? `${showKey(key)} is a new key`);
    }
    for (const key of keys) await trial.duplicate(other, key, `${showKey(key)} is a key that has taken effect`);
  },
};

/** Finds out, with new keys, for which earlier key a store mistakes one of `hostileKeys`. */
async function confusion<Tx>(trial: Trial<Tx>, store: IdempotencyStore<Tx>, index: number) {
  const isDuplicate = async (key: string) => {
    const outcome = await trial.settled(trial.call(store, key), `${showKey(key)} is a key like any other`);
    return 'answer' in outcome && outcome.answer === 'duplicate';
  };
  for (let at = 0; at < index; at++) {
    const keys = hostileKeys(unique());
    const [before, key] = [keys[at] as string, keys[index] as string];
    if (await isDuplicate(before)) continue;
    if (await isDuplicate(key)) {
      return `${showKey(key)} is a new key, but the store takes it for ${showKey(before)}, ${difference(key, before)}`;
    }
  }
  return undefined;
}

/** The first difference between two keys. */
function difference(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at++;
  const part = (key: string) => (at < key.length ? show(key[at]) : 'nothing');
  return `which has ${part(other)} for ${part(one)} as character ${at + 1}`;
}

/** Lengths of keys that a lease store gets without hashing: that of `logIdentity`, and the longest. */
const PLAIN_LENGTHS = [137, 200];

/** Hostile keys that are unused if `id` is unused, always in the same order. */
export function hostileKeys(id: string): string[] {
  const long = PLAIN_LENGTHS.flatMap((length) => {
    const part = id.padEnd(length - 1, '0');
    // These keys differ only at their end or at their beginning.
    return [`${part}1`, `${part}2`, `1${part}`, `2${part}`];
  });
  return [...HOSTILE_KEYS.map((key) => id + key), ...HOSTILE_KEYS.map((key) => key + id), ...long];
}

/** Keys that any sender could cause: a store must accept each of them, and not confuse two. */
export const HOSTILE_KEYS: readonly string[] = [
  'x'.repeat(10_000),
  `${'x'.repeat(9999)}y`,
  'a\0',
  'a\0b',
  'a',
  'A',
  'a ',
  ' a',
  '__proto__',
  'constructor',
  "'; DROP TABLE webhook_idempotency_keys; --",
  '$1',
  '?',
  '*',
  'h[ae]llo',
  '%',
  '_',
  '\\',
  '\n',
  '\r\n',
  '{a}',
  '{b}',
  'sha256:',
  `sha256:${'0'.repeat(64)}`,
  // The same letter composed and decomposed, and lone surrogates, which UTF-8 replaces with the same character.
  '\u00e9',
  'e\u0301',
  '\ud800',
  '\udfff',
  '\ufffd',
  '\u{1f600}',
];
