import type { Defect } from './defect.js';

const ATTEMPT = 'src/receiver/attempt.ts';

/** Defects of the receiver: what was wrong once, and mutations of its dispatch and drain. */
export const receiverDefects: readonly Defect[] = [
  {
    name: 'released while it runs',
    about: 'The key of a handler that timed out is free while the handler still runs, so a redelivery overlaps it.',
    patches: [
      {
        file: ATTEMPT,
        find: 'await this.#outlast(error, options);',
        replace: 'this.#fail(error); options?.onTimeout?.(error); throw cause;',
      },
    ],
    worlds: ['memory'],
    foundWithin: 40,
  },
  {
    name: 'drained over a late handler',
    about: '`drain` resolves while a handler that timed out still runs.',
    patches: [{ file: ATTEMPT, find: 'this.ground.afterwards.hold(handling, this.#host);', replace: '' }],
    worlds: ['memory'],
    foundWithin: 400,
  },
  {
    name: 'drained over a pending record',
    about: '`drain` resolves while the record of an effect is still retried.',
    patches: [
      {
        file: 'src/receiver/drain.ts',
        find: 'const unrecorded = () => unrecordedOf(store);',
        replace: 'const unrecorded = (): readonly unknown[] => [];',
      },
    ],
    worlds: ['leased'],
    foundWithin: 6000,
  },
  {
    name: 'handled without a run',
    about: 'A store that says `handled` although it did not run the handler is believed.',
    patches: [
      {
        file: ATTEMPT,
        find: "if (word === 'handled') return isGood && isFresh;",
        replace: "if (word === 'handled') return true;",
      },
    ],
    worlds: ['odd-store'],
    foundWithin: 30,
  },
  {
    name: 'any word acknowledges',
    about: 'A store that says anything but its three words is believed.',
    patches: [
      {
        file: ATTEMPT,
        find: "return word === 'in-progress' && (!this.#failure || isUndone);",
        replace: "return word !== 'in-progress' || !this.#failure || isUndone;",
      },
    ],
    worlds: ['odd-store'],
    foundWithin: 200,
  },
  {
    name: 'kinds share ids',
    about: 'Two events of different kinds with the same id have one key.',
    patches: [
      {
        file: 'src/receiver/idempotency-key.ts',
        find: `return \`\${event.event}:\${event.id}\`;`,
        replace: 'return event.id;',
      },
    ],
    worlds: ['same-ids'],
    foundWithin: 70,
  },
  {
    name: 'sources share ids',
    about: 'Two events of different sources with the same id have one key.',
    patches: [
      {
        file: 'src/receiver/idempotency-key.ts',
        find: `if (source !== undefined) return \`\${source.replace(/[%:]/g, encodeURIComponent)}::\${key}\`;`,
        replace: '',
      },
    ],
    worlds: ['same-ids'],
    foundWithin: 40,
  },
  {
    name: 'sources collide',
    about: 'The colons of a source are not escaped, so that a source and a key can be read in two ways.',
    patches: [
      {
        file: 'src/receiver/idempotency-key.ts',
        find: `\${source.replace(/[%:]/g, encodeURIComponent)}::`,
        replace: `\${source}:`,
      },
    ],
    worlds: ['same-ids'],
    foundWithin: 5_000,
  },
  {
    name: 'best status',
    about: 'A delivery is answered with the outcome of its first event.',
    patches: [
      {
        file: 'src/receiver/answer.ts',
        find: 'for (const { error } of outcomes)',
        replace: 'for (const { error } of outcomes.slice(0, 1))',
      },
    ],
    worlds: ['memory'],
    foundWithin: 300,
  },
  {
    name: 'duplicate of a failure',
    about: 'The second of two equal events of a delivery is acknowledged although the first failed.',
    patches: [
      {
        file: 'src/receiver/dispatch.ts',
        find: "return { ...first, item, status: first.error ? first.status : 'duplicate' };",
        replace: "return { item, status: 'duplicate' };",
      },
      {
        file: 'src/receiver/answer.ts',
        find: 'for (const { error } of outcomes)',
        replace: 'for (const { error } of outcomes.slice(-1))',
      },
    ],
    worlds: ['memory'],
    foundWithin: 30,
  },
  {
    name: 'a failed handler is acknowledged',
    about: 'The error of a handler is not part of the outcome.',
    patches: [
      {
        file: 'src/receiver/run-once.ts',
        find: "return this.#outcome('failed', error);",
        replace: "return this.#outcome('failed');",
      },
    ],
    worlds: ['memory'],
    foundWithin: 50,
  },
  {
    name: 'an unknown outcome is acknowledged',
    about: 'An event whose key the store has found open has no error.',
    patches: [
      {
        file: 'src/receiver/attempt.ts',
        find: "if (word === 'unknown') return outcomeUnknown(idempotencyKey, this.#failure && this.#thrown);",
        replace: '',
      },
    ],
    worlds: ['transactional'],
    foundWithin: 400,
  },
];
