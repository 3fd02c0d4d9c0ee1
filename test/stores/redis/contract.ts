import type { Redis } from 'ioredis';
import { describe } from 'vitest';
import type { LeaseStore } from '../../../src/stores/store.js';
import { describeLetters } from '../../contracts/letters.js';
import { describeRecords } from '../../contracts/records.js';
import { describeStore, type StoreTarget } from '../../contracts/store.js';
import type { TestServer } from '../../servers/server.js';

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

type Open = StoreTarget['open'];
type Admins = () => readonly Redis[];

/** The contract of stores over a client. `server`: one that the contract takes away. */
export function describeRedisStore(title: string, open: Open, admins: Admins, server?: () => TestServer): void {
  const target = { open, passTime: (ms: number) => passTime(ms, ...admins()) };
  describeStore(title, { shared: true, leases: true }, target, server);
  describeKept(title, open, admins);
}

/** Dead letters and records over a client. */
export function describeKept(title: string, open: Open, admins: Admins): void {
  async function make() {
    const store = (await open({})) as LeaseStore;
    return { store, expire: () => passTime(store.leaseMs + 1, ...admins()) };
  }
  describe(`dead letters of ${title}`, () => describeLetters(make));
  describe(`records of ${title}`, () => describeRecords({ keepsArrival: true, finds: false }, make));
}
