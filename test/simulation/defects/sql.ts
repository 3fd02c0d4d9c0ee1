import type { Defect } from './defect.js';

const POSTGRES = 'src/stores/sql/postgres.ts';
const SQLITE = 'src/stores/sql/sqlite.ts';
const TRANSACTIONAL = 'src/stores/sql/transactional.ts';

/** Mutations of the SQL stores: their statements, and the transaction around a handler. */
export const sqlDefects: readonly Defect[] = [
  {
    name: 'Postgres claims held keys',
    about: 'The claim of a lease does not compare its expiry with the clock.',
    patches: [
      {
        file: POSTGRES,
        find: 'WHERE held.expires_at <= clock_timestamp() OR (held.owner = excluded.owner AND NOT held.done)',
        replace: 'WHERE true',
      },
    ],
    worlds: ['sql-leases'],
    foundWithin: 20,
  },
  {
    name: 'Postgres compares the wrong way',
    about: 'The claim of a lease takes over what has not expired.',
    patches: [
      {
        file: POSTGRES,
        find: 'WHERE held.expires_at <= clock_timestamp() OR (held.owner',
        replace: 'WHERE held.expires_at >= clock_timestamp() OR (held.owner',
      },
    ],
    worlds: ['sql-leases'],
    foundWithin: 20,
  },
  {
    name: 'Postgres releases for others',
    about: 'The release does not compare the owner.',
    patches: [
      {
        file: POSTGRES,
        find: `AND owner = \${literal(owner)} AND NOT done`,
        replace: '',
      },
    ],
    worlds: ['sql-leases'],
    foundWithin: 20,
  },
  {
    name: 'Postgres records over others',
    about: 'The record does not compare the owner.',
    patches: [
      {
        file: POSTGRES,
        find: 'WHERE held.owner = excluded.owner OR held.expires_at <= clock_timestamp() RETURNING key',
        replace: 'RETURNING key',
      },
    ],
    worlds: ['sql-leases'],
    foundWithin: 700,
  },
  {
    name: 'Postgres calls held keys done',
    about: 'A key that another run holds has the status of a duplicate.',
    patches: [
      {
        file: POSTGRES,
        find: `CASE WHEN done THEN 'duplicate' WHEN expires_at = \${OPEN} THEN 'unknown' ELSE 'in-progress' END`,
        replace: "'duplicate'",
      },
    ],
    worlds: ['sql-leases'],
    foundWithin: 20,
  },
  {
    name: 'no advisory lock',
    about: 'The claim in a transaction takes no advisory lock, so it waits for other transactions.',
    patches: [
      {
        file: POSTGRES,
        find: `AS bounded, \${keysFrom(keys)}
           WHERE pg_try_advisory_xact_lock(hashtextextended(key, '\${table}'::regclass::oid::bigint))`,
        replace: `AS bounded, \${keysFrom(keys)} WHERE true`,
      },
    ],
    worlds: ['transactional'],
    foundWithin: 60,
  },
  {
    name: 'a transaction claims what is done',
    about: 'The claim in a transaction takes over records that have not expired.',
    patches: [
      {
        file: POSTGRES,
        find: 'WHERE held.expires_at <= clock_timestamp()\n           RETURNING key, owner',
        replace: 'RETURNING key, owner',
      },
    ],
    worlds: ['transactional'],
    foundWithin: 20,
  },
  {
    name: 'no check before the commit',
    about: 'The commit does not check that the transaction is the one that claimed the keys.',
    patches: [
      {
        file: POSTGRES,
        find: `CASE WHEN txid_current_if_assigned() = \${BigInt(id)} THEN`,
        replace: `CASE WHEN \${BigInt(id)} > 0 THEN`,
      },
    ],
    worlds: ['transactional'],
    foundWithin: 400,
  },
  {
    name: 'a committed half is done',
    about:
      'The keys of a transaction are done although its handler may end it, so that half of its effects is acknowledged.',
    patches: [{ file: POSTGRES, find: 'return run(rewrite(own, false)).catch(ignore);', replace: '' }],
    worlds: ['transactional'],
    foundWithin: 100,
  },
  {
    name: 'a late handler commits',
    about: 'A transaction is committed although the time of its handler was over.',
    patches: [
      { file: TRANSACTIONAL, find: 'if (!this.isLate) return;\n', replace: 'if (this.isLate || true) return;\n' },
      {
        file: TRANSACTIONAL,
        find: '        if (this.#isOver) throw storeError(GIVEN_UP);\n      }\n    } catch',
        replace: '      }\n    } catch',
      },
      { file: TRANSACTIONAL, find: 'this.#spoiled = this.#spoil();', replace: 'this.#spoiled = Promise.resolve();' },
    ],
    worlds: ['transactional'],
    foundWithin: 80,
  },
  {
    name: 'a late claim begins',
    about: 'A transaction whose claim was answered too late begins its handler.',
    patches: [
      { file: TRANSACTIONAL, find: 'if (elapsedMs() >= claimMs) throw storeError(FROZEN);', replace: '' },
      { file: 'src/receiver/attempt.ts', find: 'if (remainingMs + 1 >= ms) return ms;', replace: 'return ms;' },
    ],
    worlds: ['transactional'],
    foundWithin: 3_000,
  },
  {
    name: 'SQLite claims held keys',
    about: 'The claim of a lease in SQLite does not compare its expiry with the clock.',
    patches: [
      {
        file: SQLITE,
        find: `\${upsert(keys, owner, 0, expiry(leaseMs))} WHERE expires_at <= \${now()} RETURNING key`,
        replace: `\${upsert(keys, owner, 0, expiry(leaseMs))} RETURNING key`,
      },
    ],
    worlds: ['d1'],
    foundWithin: 20,
  },
  {
    name: 'SQLite records over others',
    about: 'The record in SQLite does not compare the owner.',
    patches: [
      {
        file: SQLITE,
        find: `\${upsert(keys, owner, 1, expiry(retentionMs))} WHERE owner = excluded.owner OR expires_at <= \${now()} RETURNING key`,
        replace: `\${upsert(keys, owner, 1, expiry(retentionMs))} RETURNING key`,
      },
    ],
    worlds: ['d1'],
    foundWithin: 600,
  },
];
