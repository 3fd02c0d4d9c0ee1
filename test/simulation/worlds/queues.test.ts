import { describe, expect, it } from 'vitest';
import { Choices } from '../kernel/choices.js';
import { loadSubject } from '../subject/load.js';
import { bullmq } from './bullmq.js';
import { pgBoss } from './pg-boss.js';

const subject = await loadSubject();

describe.each([bullmq, pgBoss])('the world of $name', (world) => {
  it('keeps its invariants while what it is about happens', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed++) {
      const { history } = await world.play(Choices.ofSeed(seed), subject);
      const told = history.entries.map(({ who, what }) => `${who} ${what}`).join('\n');
      const isTwice = (id: string) => told.split(`effect of ${id}`).length > 2;
      if (['a', 'b', 'c'].some(isTwice)) seen.add('an event takes effect twice');
      for (const [name, pattern] of HAPPENINGS) if (pattern.test(told)) seen.add(name);
    }
    const own = world === bullmq ? ['a job is stalled', 'a worker has lost its job'] : ['a job expires'];
    expect([...seen]).toEqual(expect.arrayContaining([...COMMON, ...own]));
  }, 60_000);
});

const COMMON = [
  'an event takes effect twice',
  'a worker dies',
  'a connection is lost',
  'a handler fails',
  'an event is dropped',
];
const HAPPENINGS: readonly (readonly [string, RegExp])[] = [
  ['a worker dies', / dies/],
  ['a connection is lost', /loses its connection to/],
  ['a handler fails', /handler of \w rejected/],
  ['an event is dropped', /drops \w/],
  ['a job is stalled', /finds job \S+ stalled/],
  ['a worker has lost its job', /cannot settle job/],
  ['a job expires', /expires \d jobs/],
];
