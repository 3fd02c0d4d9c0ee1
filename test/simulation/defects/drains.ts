import type { Defect } from './defect.js';

const ATTEMPT = 'src/receiver/attempt.ts';
const RECORDER = 'src/stores/recorder.ts';

/** Defects that show only when a replica drains, freezes or is asked again at the wrong moment. */
export const drainDefects: readonly Defect[] = [
  {
    name: 'drained over a store call',
    about: '`drain` does not wait for the record of a handler that timed out.',
    patches: [
      {
        file: 'src/receiver/gate.ts',
        find: '      waitedFor++;\n      const done = () => {\n        waitedFor--;',
        replace: '      const done = () => {',
      },
    ],
    worlds: ['leased'],
    foundWithin: 4000,
  },
  {
    name: 'drain ends before its limit',
    about: '`drain` resolves with records that are still retried, although its limit is not over.',
    patches: [
      {
        file: 'src/receiver/drain.ts',
        find: 'while (!isOver && gate.size + unrecorded().length > 0)',
        replace: 'while (!isOver && gate.size > 0)',
      },
    ],
    worlds: ['leased'],
    foundWithin: 4000,
  },
  {
    name: 'unrecorded lists nothing',
    about: 'The store does not tell which records it still retries.',
    patches: [{ file: RECORDER, find: 'if (!recording.isOver()) retried.add(recording);', replace: '' }],
    worlds: ['leased'],
    foundWithin: 4000,
  },
  {
    name: 'a late transaction keeps no place',
    about: '`drain` does not wait for a handler that timed out in its transaction.',
    patches: [
      {
        file: ATTEMPT,
        find: "if (this.#phase === 'running') this.#hold();\n    else",
        replace: "if (this.#phase !== 'running')",
      },
    ],
    worlds: ['transactional'],
    foundWithin: 4000,
  },
  {
    name: 'begun after its lease in memory',
    about: 'After a freeze within the turn of its claim, a handler begins although its lease may end before it.',
    patches: [{ file: ATTEMPT, find: 'if (remainingMs + 1 >= ms) return ms;', replace: 'return ms;' }],
    worlds: ['memory'],
    foundWithin: 400,
  },
  {
    name: 'a handler may take longer than its lease',
    about: 'The limit of a handler is 1.1 of the lease.',
    patches: [{ file: 'src/receiver/run-once.ts', find: '0.9 * (store.leaseMs', replace: '1.1 * (store.leaseMs' }],
    worlds: ['memory', 'transactional'],
    foundWithin: 100,
  },
  {
    name: 'one final event lets all pass',
    about: 'A delivery is handled if the block of any of its events is known to be final.',
    patches: [
      {
        file: 'src/receiver/finality-stage.ts',
        find: 'if (finality.isFinal?.(event) !== true) return false;\n      return true;',
        replace: 'if (finality.isFinal?.(event) === true) return true;\n      return false;',
      },
    ],
    worlds: ['finality'],
    foundWithin: 400,
  },
];
