import { type Runner, textOf } from './runner.js';

/** No key of the store has braces. In a cluster, the index is in another slot than most keys. */
const INDEX = '{dead-letters}';

const ADD = "return {redis.call('zadd', KEYS[1], 0, ARGV[1])}";
const REMOVE = "for _, key in ipairs(ARGV) do redis.call('zrem', KEYS[1], key) end return {}";
const RANGE = `local found = redis.call('zrangebylex', KEYS[1], ARGV[1], '+', 'limit', 0, ARGV[2])
for i, key in ipairs(found) do found[i] = '=' .. key end
return found`;

/**
 * The sorted keys of dead letters, to list them. A key is added before its letter is written, and removed after its
 * letter is removed. So a process that dies in between may leave a key without a letter, but never a letter without a
 * key.
 */
export interface LetterIndex {
  add(key: string): Promise<unknown>;
  /** Never rejects: `list` removes keys that were left. */
  remove(keys: readonly string[]): Promise<unknown>;
  /** Returns at most `count` keys. */
  range(after: string | undefined, count: number): Promise<string[]>;
}

export function letterIndex({ single }: Runner): LetterIndex {
  return {
    add: (key) => single(ADD, INDEX, [key]),
    remove: async (keys) => keys.length > 0 && single(REMOVE, INDEX, keys).catch(ignore),
    async range(after, count) {
      const found = await single(RANGE, INDEX, [after === undefined ? '-' : `(${after}`, String(count)]);
      return found.map((key) => textOf(key).slice(1));
    },
  };
}

function ignore(): void {}
