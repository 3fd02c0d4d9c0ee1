import type { Claim, LeaseTable } from '../leased-store.js';
import type { Claimed } from '../store.js';
import { CLAIM_FAILED, RECORD_FAILED, RELEASE_FAILED } from './failed-scripts.js';
import { letterIndex } from './letter-index.js';
import { redisLetters } from './letters.js';
import { type Runner, understood, whole } from './runner.js';
import { CLAIM, RECORD, RELEASE, TRACE_MS } from './scripts.js';

interface Times {
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly timeoutMs: number;
}

const CLAIMS = ['claimed', 'duplicate', 'in-progress', 'abandoned', 'other'] as const;
const RECORDS = ['recorded', 'taken', 'other', 'settled'] as const;
const ABANDONED: Claimed = { abandoned: true };

/** Keys with their owners in Redis. Keys that have failed need a second script. */
export function redisTable(runner: Runner, times: Times): LeaseTable {
  const { leaseMs, retentionMs } = times;
  const claim = runner.together(CLAIM, leaseMs + TRACE_MS);
  const record = runner.together(RECORD, retentionMs);
  const release = runner.together(RELEASE, retentionMs);
  const index = letterIndex(runner);

  return {
    letters: redisLetters(runner, index, times),
    async claim(keys, owner, { from }) {
      const claims = new Map<string, Claim | Claimed>();
      const others: string[] = [];
      const note = (some: readonly string[], answers: readonly unknown[]) => {
        for (const [at, key] of some.entries()) {
          const word = understood(answers[at], CLAIMS);
          if (word === 'other') others.push(key);
          else claims.set(key, word === 'abandoned' ? ABANDONED : word);
        }
      };
      if (from === 'free') note(keys, await claim(keys, owner));
      const left = from === 'free' ? others : keys;
      if (left.length > 0) {
        const args = [whole(leaseMs), whole(retentionMs), from, owner];
        note(left, await runner.apart(CLAIM_FAILED, left, args));
      }
      return claims;
    },
    async record(keys, owner) {
      const recorded = new Set<string>();
      const settled: string[] = [];
      const others: string[] = [];
      const note = (some: readonly string[], answers: readonly unknown[]) => {
        for (const [at, key] of some.entries()) {
          const word = understood(answers[at], RECORDS);
          if (word === 'other') others.push(key);
          else if (word !== 'taken') recorded.add(key);
          if (word === 'settled') settled.push(key);
        }
      };
      note(keys, await record(keys, owner));
      if (others.length > 0) note(others, await runner.apart(RECORD_FAILED, others, [whole(retentionMs), owner]));
      await index.remove(settled);
      return recorded;
    },
    async release(keys, owner) {
      const answers = await release(keys, owner);
      const others = keys.filter((_, at) => understood(answers[at], ['released', 'other']) === 'other');
      if (others.length > 0) await runner.apart(RELEASE_FAILED, others, [whole(retentionMs), owner]);
    },
  };
}
