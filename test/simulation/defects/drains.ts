import { type Defect, planted } from './defect.js';

const ATTEMPT = 'src/handle/attempt.ts';
const RECORDER = 'src/stores/recorder.ts';

const begunLate = { [ATTEMPT]: { 'if (!(this.#limit.remainingMs() > 0)) {': 'if (false) {' } };

/** Defects that show only when a replica drains, freezes or is asked again at the wrong moment. */
export const drainDefects: readonly Defect[] = [
  // `drain` does not wait for the record of a handler that timed out.
  planted('drained over a store call', ['leased'], 4000, {
    [ATTEMPT]: { '[this.#handling, this.#settling]': '[this.#handling]' },
  }),
  // `drain` resolves with records that are still retried, although its limit is not over.
  planted('drain ends before its limit', ['leased'], 15_000, {
    'src/receive/drain.ts': { 'until(() => unfinished() === 0,': 'until(() => gate.size === 0,' },
  }),
  // The store does not tell which records it still retries.
  planted('unrecorded lists nothing', ['leased'], 4000, {
    [RECORDER]: { 'if (!recording.isOver()) retried.add(recording);': '' },
  }),
  // `drain` does not wait for a handler that timed out in its transaction.
  planted('a late transaction keeps no place', ['transactional'], 4000, {
    [ATTEMPT]: {
      "continues = this.#run === 'running' || this.#run === 'late'": "continues = this.#run === 'running'",
    },
  }),
  // After a freeze during its claim, a handler begins although its time is over.
  planted('begun after its lease in memory', ['memory'], 400, begunLate),
  planted('begun after its lease', ['leased'], 2000, begunLate),
  // The limit of a handler is 1.1 of the lease.
  planted('a handler may take longer than its lease', ['memory', 'transactional'], 100, {
    'src/handle/once.ts': { '0.9 * ': '1.1 * ' },
  }),
];
