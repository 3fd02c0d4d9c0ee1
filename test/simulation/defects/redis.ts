import { type Defect, planted } from './defect.js';

const REDIS = 'src/stores/redis/scripts.ts';

/** Mutations of the scripts and the batches of the Redis store. */
export const redisDefects: readonly Defect[] = [
  // RELEASE deletes a key without a look at its owner.
  planted('Redis releases for others', ['redis'], 200, {
    [REDIS]: { "if held == ARGV[i + 1] then redis.call('del', key) end": "redis.call('del', key)" },
  }),
  // RECORD records a key that another owner has.
  planted('Redis records over others', ['redis'], 500, {
    [REDIS]: { 'if not held or held == owner or held == done or': 'if true or' },
  }),
  // CLAIM sets a key that another owner has.
  planted('Redis claims held keys', ['redis'], 20, {
    [REDIS]: { "'px', ARGV[1], 'nx') then": "'px', ARGV[1]) then" },
  }),
  // CLAIM takes the owner of a lease for a record.
  planted('Redis calls held keys done', ['redis'], 20, {
    [REDIS]: {
      "elseif held and string.sub(held, 1, 5) == 'done:' then": 'elseif held then',
    },
  }),
  // CLAIM takes over a lease that has not ended.
  planted('Redis ends leases early', ['redis'], 20, {
    [REDIS]: {
      "if left >= 0 and left < ${TRACE_MS} then\nredis.call('set', key, owner":
        "if left >= 0 then\nredis.call('set', key, owner",
    },
  }),
  // RECORD keeps the key for a second.
  planted('Redis records for a lease', ['redis'], 30, {
    [REDIS]: { "redis.call('set', key, done, 'px', ARGV[1])": "redis.call('set', key, done, 'px', 1000)" },
  }),
  // Calls that were joined into one command all get the first answers.
  planted('batches mix answers', ['redis'], 200, {
    'src/stores/redis/batches.ts': { 'start = end;': '' },
  }),
];
