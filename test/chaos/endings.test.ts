import { describe, expect, it } from 'vitest';
import { checkEndings } from './endings.js';
import { type Attempt, type Ending, Log, type Outage } from './log.js';
import { modes } from './modes.js';
import { makePlan } from './plan.js';

const [delivery] = makePlan(modes.redis, {
  seed: 1,
  events: 1,
  spreadMs: 1000,
  kills: 0,
  faults: 0,
  misuses: 0,
}).deliveries;

function check(attempt: Partial<Attempt>, ending?: Ending, outages: Outage[] = []) {
  if (delivery === undefined) throw new Error('The plan is empty.');
  const log = { ...new Log(), outages, endings: new Map(ending ? [[1, ending]] : []) };
  log.attempts.push({ delivery, receiver: 0, pid: 1, from: 1000, to: 1100, outcome: 'broken', ...attempt });
  return { ...checkEndings(log), what: log.broken.map(({ what }) => what) };
}

const drained = { draining: 900, closing: 1050, unfinished: 0 };
const reset = ['met a reset connection of a receiver that was not killed'];

describe('what the chaos test expects of a receiver that ends', () => {
  it('refuses with 503 and Connection: close', () => {
    expect(check({ outcome: 503, closes: true }, drained)).toMatchObject({ refused: 1, what: [] });
    expect(check({ outcome: 503, closes: false }, drained).what).toEqual([
      'was refused by a receiver that drains, without Connection: close',
    ]);
    expect(check({ outcome: 200 }, drained).what).toEqual(['was answered 200 by a receiver that drains']);
    expect(check({ outcome: 200 }, { ...drained, draining: 1001 })).toMatchObject({ refused: 0, what: [] });
  });

  it('resets no connection of a request that was written before it was drained', () => {
    expect(check({ written: 1001 }, drained).what).toEqual(reset);
    expect(check({ written: 1051 }, drained)).toMatchObject({ crossed: 1, resets: 0, what: [] });
    expect(check({ written: 1001 }).what).toEqual(reset);
    const kill: Outage = { kind: 'kill', victim: 'receiver 0', pid: 1, from: 1050, to: 1050 };
    expect(check({ written: 1001 }, undefined, [kill])).toMatchObject({ resets: 0, what: [] });
    expect(check({ written: 1001 }, undefined, [{ ...kill, pid: 2 }]).what).toEqual(reset);
    expect(check({ written: 1001 }, undefined, [{ ...kill, from: 3000, to: 3000 }]).what).toEqual(reset);
  });
});
