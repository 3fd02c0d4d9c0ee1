import { type Defect, planted } from './defect.js';

const REDIS = 'src/stores/redis/scripts.ts';

/** Mutations of the scripts and the batches of the Redis store. */
export const redisDefects: readonly Defect[] = [
  // RELEASE deletes a key without a look at its owner.
  planted('Redis releases for others', ['redis'], 200, {
    [REDIS]: { "if row.owner == ARGV[i + 1] and row.state ~= 'done' then": "if row.state ~= 'done' then" },
  }),
  // RECORD records a key that another owner has.
  planted('Redis records over others', ['redis'], 500, {
    [REDIS]: { "elseif row.owner ~= owner and (row.state == 'done' or": "elseif false and (row.state == 'done' or" },
  }),
  // CLAIM sets a key that another owner has.
  planted('Redis claims held keys', ['redis'], 20, {
    [REDIS]: { 'elseif row.owner and row.owner ~= owner and row.endsAt >= now then': 'elseif false then' },
  }),
  // CLAIM takes the owner of a lease for a record.
  planted('Redis calls held keys done', ['redis'], 20, {
    [REDIS]: { "elseif row.state == 'done' then": 'elseif row.state then' },
  }),
  // CLAIM takes over a lease that has not ended.
  planted('Redis ends leases early', ['redis'], 20, {
    [REDIS]: { '= owner, now + tonumber(ARGV[1]), now\nif record': '= owner, now + 1, now\nif record' },
  }),
  // RECORD keeps the key for a second.
  planted('Redis records for a lease', ['redis'], 30, {
    [REDIS]: {
      'row.letter = nil\nwrite(key, row, ARGV[1])\nend\nend\nreturn words`;\n\n/** Arguments: retentionMs; the owner of each key. */\nexport const RELEASE':
        'row.letter = nil\nwrite(key, row, 1000)\nend\nend\nreturn words`;\n\nexport const RELEASE',
    },
  }),
  // Calls that were joined into one command all get the first answers.
  planted('batches mix answers', ['redis'], 200, {
    'src/stores/redis/batches.ts': { 'start = end;': '' },
  }),
];
