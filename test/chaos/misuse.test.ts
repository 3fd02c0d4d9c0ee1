import { describe, expect, it } from 'vitest';
import { type Ended, Log } from './log.js';
import { checkMisuses, checkOverruns } from './misuse.js';

const effect = { id: 'a', pid: 1, claimed: 1000 };
const again = ['ran again after a handler had ended its transaction'];

function check({ effects = [effect], began = [] as number[], settled = [] as Log['settled'] } = {}) {
  const ended: Ended = { pid: 1, claimed: 1000, at: 1010, isOver: true };
  const log = { ...new Log(), settled, ended: new Map([['a', ended]]) };
  for (const at of began) log.starts.push({ id: 'a', claimed: at, asked: at, turn: at, at, wallMs: 0 });
  checkMisuses(effects, log);
  return log.broken.map(({ what }) => what);
}

describe('what the chaos test expects after a handler has ended its transaction', () => {
  it('allows no further run while an effect of the first is kept, and the key is not settled', () => {
    expect(check({ began: [1001] })).toEqual([]);
    expect(check({ began: [1001, 1020] })).toEqual(again);
    expect(check({ began: [1020], effects: [] })).toEqual([]);
    expect(check({ began: [1020], effects: [{ ...effect, pid: 2 }] })).toEqual([]);
  });

  it('allows another run once the key was settled', () => {
    const settled = [{ id: 'a', at: 4000, parts: 1 }];
    expect(check({ began: [4001], settled, effects: [] })).toEqual([]);
    expect(check({ began: [3999], settled, effects: [] })).toEqual(again);
  });
});

it('the chaos test allows only an effect of another run after a handler has gone past its time limit', () => {
  const log = { ...new Log(), overruns: [{ pid: 1, claimed: 1000, ids: ['a'] }] };
  checkOverruns(
    [
      { ...effect, pid: 2 },
      { ...effect, claimed: 2000 },
      { ...effect, id: 'b' },
    ],
    log,
  );
  expect(log.broken).toEqual([]);
  checkOverruns([effect, effect], log);
  expect(log.broken).toEqual([{ what: 'took effect after the time limit of its handler', ids: ['a'] }]);
});
