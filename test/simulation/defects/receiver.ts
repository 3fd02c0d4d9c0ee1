import { type Defect, planted } from './defect.js';

const ATTEMPT = 'src/handle/attempt.ts';
const OUTCOME = 'src/handle/outcome.ts';

/** Defects of the receiver: what was wrong once, and mutations of its dispatch and drain. */
export const receiverDefects: readonly Defect[] = [
  // The key of a handler that timed out is free while the handler still runs, so a redelivery overlaps it.
  planted('released while it runs', ['memory'], 40, {
    [ATTEMPT]: {
      'return running;': 'return Promise.race([running, late as Promise<never>]);',
    },
  }),
  // A store that was left, or whose handler timed out, records the key of a handler that then fails.
  planted('a late failure is recorded', ['memory', 'odd-store'], 400, {
    [ATTEMPT]: {
      '(thrown: unknown) => {\n        throw':
        '(thrown: unknown) => {\n        if (!this.#resolve) this.#failedWith(thrown);\n        else throw',
    },
  }),
  // `drain` resolves while a handler that timed out still runs.
  planted('drained over a late handler', ['memory'], 400, {
    [ATTEMPT]: { 'this.#shared.afterwards.hold(settled, this.#task.about.host);': '' },
  }),
  // `drain` resolves while the record of an effect is still retried.
  planted('drained over a pending record', ['leased'], 6000, {
    'src/receive/drain.ts': {
      '() => gate.size + ((store || undefined)?.unrecorded?.().length ?? 0)': '() => gate.size',
    },
  }),
  // A store that says `handled` although it did not run the handler is believed.
  planted('handled without a run', ['odd-store'], 30, {
    [OUTCOME]: {
      'handled: { idle: false': 'handled: { idle: true',
      "if (answer === 'handled' && !isFresh) return false;": '',
    },
  }),
  // A store that says anything but its three words is believed.
  planted('any word acknowledges', ['odd-store'], 200, {
    [OUTCOME]: { 'Object.hasOwn(ALLOWED, answer)) return false;': 'Object.hasOwn(ALLOWED, answer)) return true;' },
  }),
  // Two events of different kinds with the same id have one key.
  planted('kinds share ids', ['same-ids'], 70, {
    'src/handle/idempotency-key.ts': { 'return `${event.event}:${event.id}`;': 'return event.id;' },
  }),
  // Two events of different sources with the same id have one key.
  planted('sources share ids', ['same-ids'], 40, {
    'src/handle/idempotency-key.ts': {
      'if (source !== undefined) return `${source.replace(/[%:]/g, encodeURIComponent)}::${key}`;': '',
    },
  }),
  // The colons of a source are not escaped, so that a source and a key can be read in two ways.
  planted('sources collide', ['same-ids'], 5000, {
    'src/handle/idempotency-key.ts': { '${source.replace(/[%:]/g, encodeURIComponent)}::': `\${source}:` },
  }),
  // A delivery is answered with the outcome of its first event.
  planted('best status', ['memory'], 300, {
    'src/handle/answer.ts': { 'for (const { error } of outcomes)': 'for (const { error } of outcomes.slice(0, 1))' },
  }),
  // The second of two equal events of a delivery is acknowledged although the first failed.
  planted('duplicate of a failure', ['memory'], 30, {
    'src/handle/dispatch.ts': {
      "return { ...first, item, status: first.error ? first.status : 'duplicate' };":
        "return { item, status: 'duplicate' };",
    },
    'src/handle/answer.ts': { 'for (const { error } of outcomes)': 'for (const { error } of outcomes.slice(-1))' },
  }),
  // The error of a handler is not part of the outcome.
  planted('a failed handler is acknowledged', ['memory'], 50, {
    [ATTEMPT]: { "outcomesOf(items, 'failed', error)": "outcomesOf(items, 'failed')" },
  }),
  // An event whose key the store has found open has no error.
  planted('an unknown outcome is acknowledged', ['transactional'], 400, {
    [ATTEMPT]: {
      ', error: outcomeUnknown(idempotencyKey, this.#failure?.thrown)': '',
    },
  }),
];
