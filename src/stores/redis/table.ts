import type { Claim, LeaseTable } from '../leased-store.js';
import type { Claimed } from '../store.js';
import { letterIndex } from './letter-index.js';
import { redisLetters } from './letters.js';
import { redisRecords } from './rows.js';
import { type Runner, understood, whole } from './runner.js';
import { CLAIM, RECORD, RELEASE, TRACE_MS } from './scripts.js';

interface Times {
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly timeoutMs: number;
}

const CLAIMS = ['claimed', 'duplicate', 'in-progress', 'abandoned'] as const;
const RECORDS = ['recorded', 'taken', 'settled'] as const;
const ABANDONED: Claimed = { abandoned: true };

/** Rows of keys in Redis. */
export function redisTable(runner: Runner, times: Times): LeaseTable {
  const { leaseMs, retentionMs } = times;
  const claims = [whole(leaseMs), whole(leaseMs + Math.max(TRACE_MS, retentionMs))];
  const claimFree = runner.together(CLAIM, [...claims, 'free']);
  const claimDead = runner.together(CLAIM, [...claims, 'dead']);
  const record = runner.together(RECORD, [whole(retentionMs)]);
  const release = runner.together(RELEASE, [whole(retentionMs)]);
  const index = letterIndex(runner);

  return {
    letters: redisLetters(runner, index, times),
    records: redisRecords(runner),
    async claim(keys, owner, { from, records }) {
      const asked = keys.map((key) => ({ key, own: [owner, JSON.stringify(records?.get(key)) ?? ''] }));
      const answers = await (from === 'dead' ? claimDead : claimFree)(asked);
      const claimOf = (answer: unknown): Claim | Claimed => {
        const word = understood(answer, CLAIMS);
        return word === 'abandoned' ? ABANDONED : word;
      };
      return new Map(keys.map((key, at) => [key, claimOf(answers[at])]));
    },
    async record(keys, owner) {
      const answers = await record(keys.map((key) => ({ key, own: [owner] })));
      const words = answers.map((answer) => understood(answer, RECORDS));
      await index.remove(keys.filter((_, at) => words[at] === 'settled'));
      return new Set(keys.filter((_, at) => words[at] !== 'taken'));
    },
    release: (keys, owner) => release(keys.map((key) => ({ key, own: [owner] }))),
  };
}
