const SHARED = { '\\.\\./\\.\\./servers/(postgres|mariadb)\\.js': './shared-server.ts' };

/** What is mutated, room by room, and the tests that must see it: the room's, as fast as they are. */
export const ROOMS = {
  signature: {
    // Only other runtimes load these two: test/runtimes checks that each loads its own.
    mutate: ['src/signature/**/*.ts', 'src/runtime/*.ts', '!src/runtime/bun.ts', '!src/runtime/edge.ts'],
    tests: ['test/signature/**/*.test.ts'],
    // A test loads its own modules.
    isolate: true,
  },
  events: {
    mutate: ['src/events/**/*.ts', '!src/events/types.ts'],
    tests: ['test/events/**/*.test.ts'],
    // Slow, or generated values, which kill by chance: examples must kill what they do.
    except: ['test/events/**/*.slow.test.ts'],
    // Takes longer than a test may with the counters of all mutants.
    skip: ['more than a mebibyte'],
  },
  // Three rooms, because one takes hours. What only adapters read is seen through them.
  receive: {
    mutate: ['src/receive/**/*.ts'],
    tests: [
      'test/receiver/**/*.test.ts',
      'test/adapters/{look-alikes,request,url,closing,node,fetch}.test.ts',
      'test/otel/metrics.test.ts',
    ],
  },
  handle: {
    mutate: ['src/handle/**/*.ts'],
    tests: [
      'test/receiver/**/*.test.ts',
      'test/docs/outcomes.test.ts',
      'test/otel/**/*.test.ts',
      'test/adapters/{look-alikes,request}.test.ts',
    ],
  },
  receiver: { mutate: ['src/receiver/**/*.ts'], tests: ['test/receiver/**/*.test.ts'] },
  stores: {
    mutate: ['src/stores/*.ts'],
    tests: ['test/stores/*.test.ts'],
    // Tests the stores of an example.
    except: ['test/stores/mongodb.slow.test.ts'],
  },
  // Three rooms for the SQL stores, because a server makes tests slow. One client of each database, and no races or long
  // waits.
  sql: {
    mutate: ['src/stores/sql/*.ts', '!src/stores/sql/{postgres,mysql*,cursor}.ts'],
    tests: [
      'test/stores/sql/{table,texts,errors,options,leases,letters,maintenance,transactional,transactional-late,transactional-rollback,cursor}.test.ts',
      'test/stores/sql/sqlite/sqlite-busy.test.ts',
      'test/stores/sql/sqlite/sqlite-steps.slow.test.ts',
      'test/stores/sql/sqlite/lease-database.test.ts',
      'test/stores/sql/sqlite/sqlite-synchronous.slow.test.ts',
      'test/stores/sql/sqlite/sqlite-suites.slow.test.ts',
      'test/stores/sql/sqlite/sqlite-locks.slow.test.ts',
    ],
    skip: [
      'fromLibsql, delete|fromLibsql with the journal mode delete',
      'like every store',
      'overlapping deliveries arrive|hundred|writers at once|megabyte',
      'waits for another process|stays locked',
    ],
    instead: SHARED,
    isolate: true,
  },
  postgres: {
    mutate: ['src/stores/sql/postgres.ts'],
    tests: [
      'test/stores/sql/postgres/commit.test.ts',
      'test/stores/sql/drivers.test.ts',
      'test/stores/sql/bare-clients.test.ts',
    ],
    skip: ['fromPostgresJs', 'awaits nothing|repeatable read|at once on ten|overlapping deliveries'],
    setup: ['./postgres.ts'],
    instead: SHARED,
    isolate: true,
  },
  mysql: {
    mutate: ['src/stores/sql/{mysql*,cursor}.ts'],
    tests: [
      'test/stores/sql/mysql/statements.test.ts',
      'test/stores/sql/cursor.test.ts',
      'test/stores/sql/mysql/session.test.ts',
      'test/stores/sql/drivers.test.ts',
      'test/stores/sql/mysql/locks.test.ts',
      'test/stores/sql/mysql/settings.test.ts',
      'test/stores/sql/bare-clients.test.ts',
    ],
    skip: [
      'statement takes long|awaits nothing|at once on ten|overlapping deliveries',
      'works in a session with (?!.*(SERIALIZABLE|\\+13))|works with the pool option',
    ],
    setup: ['./mariadb.ts'],
    instead: SHARED,
    isolate: true,
  },
  evm: {
    mutate: ['src/evm/**/*.ts'],
    tests: ['test/evm/**/*.test.ts'],
    // Slow, or generated values, which kill by chance: examples must kill what they do.
    except: ['test/evm/**/*.slow.test.ts', 'test/evm/differential/**'],
  },
};
