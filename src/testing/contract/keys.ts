import { unique } from './call.js';
import type { Cases } from './cases.js';
import { show } from './words.js';

export const keyCases: Cases = {
  async 'remembers a key for its retention, and forgets it afterwards'(trial) {
    const retentionMs = 1000;
    const [store, other] = await trial.replicas({ retentionMs });
    const key = unique();
    const start = performance.now();
    await trial.handled(trial.once(store, key), 'The first call of a key');
    /** Expects that the key is remembered, unless a slow machine has used up its retention. */
    async function remembered(what: string): Promise<void> {
      const call = await trial.patiently(() => trial.once(other, key), what);
      if (performance.now() - start > retentionMs - 100) return;
      await trial.word(call, 'duplicate', what);
      trial.notRun(call, what);
    }
    await remembered(`An event took effect less than its retention of ${retentionMs} ms ago`);
    await trial.passTime(500);
    await remembered(`An event took effect half of its retention of ${retentionMs} ms ago (retentionMs)`);
    await trial.passTime(600);
    const forgotten = `The retention of a key is over (${retentionMs} ms, retentionMs)`;
    const again = performance.now();
    await trial.becomesFree(other, key, forgotten);
    const call = await trial.patiently(() => trial.once(store, key), forgotten);
    if (performance.now() - again > retentionMs - 100) return;
    await trial.word(call, 'duplicate', 'An event took effect after its key had been forgotten');
  },

  async 'accepts any key, and confuses no two of them'(trial) {
    const [store, other] = await trial.replicas();
    const prefix = unique();
    const keys = [...HOSTILE_KEYS.map((key) => prefix + key), ...HOSTILE_KEYS.map((key) => key + prefix)];
    // The names without a prefix are there already if the server keeps them from the last time.
    for (const key of ['', '__proto__', 'constructor']) {
      await trial.oneOf(trial.once(store, key), ['handled', 'duplicate'], `${show(key)} is a key like any other`);
      await trial.duplicate(other, key, `${show(key)} is a key that has taken effect`);
    }
    for (const key of keys) await trial.handled(trial.once(store, key), `${show(key)} is a new key`);
    for (const key of keys) await trial.duplicate(other, key, `${show(key)} is a key that has taken effect`);
  },
};

/** Keys that anybody could send: a store must accept each, and confuse no two of them. */
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
  // The same letter composed and decomposed, and lone surrogates, which UTF-8 replaces by one and the same character.
  '\u00e9',
  'e\u0301',
  '\ud800',
  '\udfff',
  '\ufffd',
  '\u{1f600}',
];
