import type { Defect } from './defect.js';

const REDIS = 'src/stores/redis/index.ts';

/** Mutations of the scripts and the batches of the Redis store. */
export const redisDefects: readonly Defect[] = [
  {
    name: 'Redis releases for others',
    about: 'RELEASE deletes a key without a look at its owner.',
    patches: [
      {
        file: REDIS,
        find: "if redis.pcall('get', key) == ARGV[i + 1] then redis.call('del', key) end",
        replace: "redis.call('del', key)",
      },
    ],
    worlds: ['redis'],
    foundWithin: 200,
  },
  {
    name: 'Redis records over others',
    about: 'COMPLETE records a key that another owner has.',
    patches: [
      {
        file: REDIS,
        find: 'elseif not held or held == owner or held == done then',
        replace: 'elseif true then',
      },
    ],
    worlds: ['redis'],
    foundWithin: 500,
  },
  {
    name: 'Redis claims held keys',
    about: 'CLAIM sets a key that another owner has.',
    patches: [{ file: REDIS, find: "'px', ARGV[1], 'nx') then", replace: "'px', ARGV[1]) then" }],
    worlds: ['redis'],
    foundWithin: 20,
  },
  {
    name: 'Redis calls held keys done',
    about: 'CLAIM takes the owner of a lease for a record.',
    patches: [
      {
        file: REDIS,
        find: "held and string.sub(held, 1, 5) == 'done:' and 'duplicate' or 'in-progress'",
        replace: "held and 'duplicate' or 'in-progress'",
      },
    ],
    worlds: ['redis'],
    foundWithin: 20,
  },
  {
    name: 'Redis records for a lease',
    about: 'COMPLETE keeps the expiry of the lease.',
    patches: [
      {
        file: REDIS,
        find: "redis.call('set', key, done, 'px', ARGV[1])",
        replace: "redis.call('set', key, done, 'keepttl')",
      },
    ],
    worlds: ['redis'],
    foundWithin: 30,
  },
  {
    name: 'batches mix answers',
    about: 'Calls that were joined into one command all get the first answers.',
    patches: [{ file: 'src/stores/redis/batches.ts', find: 'start = end;', replace: '' }],
    worlds: ['redis'],
    foundWithin: 200,
  },
];
