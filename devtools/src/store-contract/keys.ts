import { unique } from './call.js';
import { partsOf, ranWith } from './several.js';
import type { Cases } from './trial.js';
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
    // Names without a prefix may exist already, if the server keeps them from an earlier run of the suite.
    for (const key of ['', '__proto__', 'constructor']) {
      await trial.oneOf(trial.call(store, key), ['handled', 'duplicate'], `${show(key)} is a key like any other`);
      await trial.duplicate(other, key, `${show(key)} is a key that has taken effect`);
    }
    const keys = hostileKeys(unique());
    const what = 'A delivery with new, hostile keys';
    for (const part of partsOf(store, keys)) {
      const call = trial.call(store, part);
      await trial.handled(call, what);
      ranWith(call, part, what);
    }
    for (const key of keys) await trial.duplicate(other, key, `${showKey(key)} is a key that has taken effect`);
    for (const part of partsOf(other, keys)) {
      await trial.duplicate(other, part, 'A delivery with hostile keys is redelivered');
    }
  },
};

/** Lengths of keys that a lease store gets without hashing: that of `logIdentity`, and the longest. */
const PLAIN_LENGTHS = [137, 200];

/** Hostile keys that are unused if `id` is unused, always in the same order. */
function hostileKeys(id: string): string[] {
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
