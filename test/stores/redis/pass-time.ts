import type { Redis } from 'ioredis';
import type { LeaseStore } from '../../../src/stores/store.js';
import type { LettersGround } from '../../contracts/letters.js';
import type { StoreTarget } from '../../contracts/store.js';

const SCRIPT = `for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left > 0 then redis.call('PEXPIRE', key, math.max(1, left - ARGV[1])) end
  local row = redis.pcall('GET', key)
  if type(row) == 'string' and string.sub(row, 1, 1) == '{' then
    row = cjson.decode(row)
    row.endsAt = row.endsAt and row.endsAt - ARGV[1]
    redis.call('SET', key, cjson.encode(row), 'KEEPTTL')
  end
end`;

/** Lets time pass for the keys of servers: each expires sooner. */
export async function passTime(ms: number, ...admins: readonly Redis[]): Promise<void> {
  for (const admin of admins) await admin.eval(SCRIPT, 0, ms);
  // A key with a millisecond left is over.
  await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A store for the suite of dead letters. */
export async function lettersOn(open: StoreTarget['open'], ...admins: readonly Redis[]): Promise<LettersGround> {
  const store = (await open({})) as LeaseStore;
  return { store, expire: () => passTime(store.leaseMs + 1, ...admins) };
}
