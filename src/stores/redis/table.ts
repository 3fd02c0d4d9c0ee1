import type { LeaseTable, resolveLeaseOptions } from '../leased-store.js';
import type { ClaimAnswer } from '../store.js';
import { redisLetters } from './letters.js';
import { redisRecords } from './rows.js';
import { type Runner, understood, whole } from './runner.js';
import { CLAIM, RECORD, RELEASE, TRACE_MS } from './scripts.js';

const CLAIMS = ['claimed', 'duplicate', 'in-progress', 'abandoned'] as const;
const RECORDS = ['recorded', 'taken', 'settled'] as const;

/** Rows of keys in Redis. */
export function redisTable(runner: Runner, times: ReturnType<typeof resolveLeaseOptions>): LeaseTable {
  const { leaseMs, retentionMs } = times;
  const claims = [whole(leaseMs), whole(leaseMs + Math.max(TRACE_MS, retentionMs))];
  const claimFree = runner.together(CLAIM, [...claims, 'free']);
  const claimDead = runner.together(CLAIM, [...claims, 'dead']);
  const record = runner.together(RECORD, [whole(retentionMs)]);
  const release = runner.together(RELEASE, [whole(retentionMs)]);
  const letters = redisLetters(runner, times);

  return {
    letters,
    records: redisRecords(runner),
    async claim(keys, owner, { from, records }) {
      const asked = keys.map((key) => ({ key, own: [owner, JSON.stringify(records?.get(key)) ?? ''] }));
      const answers = await (from === 'dead' ? claimDead : claimFree)(asked);
      const claimOf = (answer: unknown): ClaimAnswer => {
        const word = understood(answer, CLAIMS);
        if (word === 'claimed') return {};
        return word === 'abandoned' ? { abandoned: true } : word;
      };
      return new Map(keys.map((key, at) => [key, claimOf(answers[at])]));
    },
    async record(keys, owner) {
      const answers = await record(keys.map((key) => ({ key, own: [owner] })));
      const words = answers.map((answer) => understood(answer, RECORDS));
      await letters.settle(keys.filter((_, at) => words[at] === 'settled'));
      return new Set(keys.filter((_, at) => words[at] !== 'taken'));
    },
    release: (keys, owner) => release(keys.map((key) => ({ key, own: [owner] }))),
  };
}
