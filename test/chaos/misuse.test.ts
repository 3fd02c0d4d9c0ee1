import { describe, expect, it } from 'vitest';
import { createLog, type Ended, type Settled } from './log.js';
import { checkMisuses, checkOverruns, nameOf, planMisuses } from './misuse.js';
import { modes } from './modes.js';
import { createRandom } from './random.js';

const effect = { id: 'a', pid: 1, claimed: 1000 };
const again = ['ran again after a handler had ended its transaction'];

function check({ effects = [effect], began = [] as number[], settled = [] as Settled[] } = {}) {
  const ended: Ended = { pid: 1, claimed: 1000, at: 1010, isOver: true };
  const log = { ...createLog(), settled, ended: new Map([['a', ended]]) };
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

describe('what the chaos test expects after a handler has gone past its time limit', () => {
  it('allows an effect of another run alone', () => {
    const log = { ...createLog(), overruns: [{ pid: 1, claimed: 1000, ids: ['a'] }] };
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
});

describe('how handlers end transactions in the chaos test', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `event ${index}`);

  for (const name of ['postgres-transactional', 'mariadb-transactional', 'sqlite-transactional'] as const) {
    it(`${name}: with each statement, after each part of the effect, in each way, and never after a rollback writes on`, () => {
      const planned = Object.values(planMisuses(modes[name], ids, 100, createRandom(1)));
      const all = planned.flatMap((misuse) => ('then' in misuse ? [misuse] : []));
      const others = new Set(planned.map(nameOf));
      expect(others.size).toBe(name === 'sqlite-transactional' ? 1 : 8);
      const statements = new Set(all.map(({ statement }) => statement));
      expect(statements).toContain('COMMIT');
      expect(statements).toContain('ROLLBACK');
      for (const statement of statements) {
        const ways = all.filter((misuse) => misuse.statement === statement);
        const isRollback = statement.startsWith('ROLLBACK');
        expect(new Set(ways.map(({ then }) => then))).toEqual(new Set(['throws', 'returns', 'dies']));
        expect(new Set(ways.map(({ after }) => after))).toEqual(new Set([1, 2]));
        expect(ways.some(({ writesOn }) => writesOn)).toBe(!isRollback);
      }
    });
  }
});
