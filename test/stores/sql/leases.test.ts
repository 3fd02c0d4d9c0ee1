import { beforeEach, describe, expect, it } from 'vitest';
import type { Statements } from '../../../src/stores/sql/dialect.js';
import type { RunStatement } from '../../../src/stores/sql/index.js';
import { leaseTable } from '../../../src/stores/sql/leases.js';
import { postgresStatements } from '../../../src/stores/sql/postgres.js';
import { tableOf } from '../../../src/stores/sql/table.js';
import { type ClaimAnswer, type Claimed, DELIVERY } from '../../../src/stores/store.js';

const conflict = Object.assign(new Error('deadlock detected'), { code: '40P01' });
const right = postgresStatements(tableOf('a.b', 'postgres'), { leaseMs: 1000, retentionMs: 1000 });
const run: RunStatement = async () => ({ rows: [] });

const tableWith = (statements: Partial<Statements>) => leaseTable(run, { ...right, ...statements });

const asked: string[] = [];
beforeEach(() => {
  asked.length = 0;
});

/** Notes what was asked, and answers it. */
function noted<Answer>(what: string, answer: Answer): Answer {
  asked.push(what);
  return answer;
}

describe('leases in a table', () => {
  it('are claimed again after a conflict, which changed nothing', async () => {
    let tries = 0;
    const table = tableWith({
      claim: async (_, keys) => {
        if (++tries < 3) throw conflict;
        return new Map(keys.map((key) => [key, {}]));
      },
      status: async () => new Map(),
    });
    expect(await table.claim(['a'], 'owner', DELIVERY)).toEqual(new Map([['a', {}]]));
    expect(tries).toBe(3);
  });

  it('are not claimed again after any other error', async () => {
    let tries = 0;
    const table = tableWith({
      claim: () => {
        tries++;
        return Promise.reject(new Error('disk full'));
      },
    });
    await expect(table.claim(['a'], 'owner', DELIVERY)).rejects.toThrow('disk full');
    expect(tries).toBe(1);
  });

  it('have no answer if they are claimed and freed over and over', async () => {
    const table = tableWith({
      claim: async (_, keys) =>
        noted(`claim ${keys}`, new Map<string, Claimed>(keys.includes('a') ? [['a', { token: 7n }]] : [])),
      status: async (_, keys) => noted(`status ${keys}`, new Map()),
    });
    expect(await table.claim(['b', 'a'], 'owner', DELIVERY)).toEqual(new Map([['a', { token: 7n }]]));
    expect(asked).toEqual(['claim a,b', ...Array(4).fill(['status b', 'claim b']).flat(), 'status b']);
  });

  it('ask for the status of those alone that were not claimed, and no further once all are known', async () => {
    const table = tableWith({
      claim: async (_, keys) => noted(`claim ${keys}`, new Map([['b', {}]])),
      status: async (_, keys) =>
        noted(
          `status ${keys}`,
          new Map([
            ['a', 'duplicate'],
            ['c', 'in-progress'],
          ]),
        ),
    });
    const words = await table.claim(['c', 'b', 'a'], 'owner', DELIVERY);
    expect(words).toEqual(
      new Map<string, ClaimAnswer>([
        ['a', 'duplicate'],
        ['b', {}],
        ['c', 'in-progress'],
      ]),
    );
    expect(asked).toEqual(['claim a,b,c', 'status a,c']);
  });

  it('are recorded and freed in one order, so that overlapping deliveries do not deadlock', async () => {
    const table = tableWith({
      complete: async (_, keys) => noted(`complete ${keys}`, new Set(keys)),
      release: async (_, keys) => asked.push(`release ${keys}`),
    });
    await table.record(['c', 'a', 'b'], 'owner');
    await table.release(['c', 'a', 'b'], 'owner');
    expect(asked).toEqual(['complete a,b,c', 'release a,b,c']);
  });
});
