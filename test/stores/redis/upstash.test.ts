import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisConfigNodejs } from '@upstash/redis';
import { describe, expect, it } from 'vitest';
import { redisStore } from '../../../src/stores/redis/index.js';
import type { StoreTarget } from '../../contracts/store.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { type Asked, type Fault, startFront } from '../../servers/http-front.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { useServer } from '../../servers/use-server.js';
import { once } from '../calls.js';
import { useRedis } from './clients.js';
import { describeKept, describeRedisStore } from './contract.js';
import { startRestServer } from './rest-server.js';

/** As the documentation says: a time limit for each request. */
const SIGNAL = () => AbortSignal.timeout(1000);

const VARIANTS: Record<string, Partial<RedisConfigNodejs>> = {
  '@upstash/redis': {},
  'without base64 and deserialization': { responseEncoding: false, automaticDeserialization: false },
  'with automatic pipelines, as @vercel/kv': { enableAutoPipelining: true, cache: 'default' },
};

describe.skipIf(!hasRedis)(`Upstash${needsRedis}`, () => {
  const { server, admin } = useRedis();
  const rest = useServer(() => startRestServer(server().port));
  const front = useServer(() => startFront(rest().url));
  const isScript = ({ body }: Asked) => /eval/i.test(body);

  /** The next request that runs a script gets a fault. */
  function failNext(fault: Fault): void {
    const left = [fault];
    front().onRequest((asked) => (isScript(asked) ? left.pop() : undefined));
  }

  const connect = (config: Partial<RedisConfigNodejs> = {}) =>
    new Redis({ url: front().url, token: rest().token, enableTelemetry: false, signal: SIGNAL, ...config });

  describe.each(Object.entries(VARIANTS))('%s', (name, config) => {
    const [title, admins] = [`redisStore on ${name}`, () => [admin()]];
    const open: StoreTarget['open'] = async (settings) => redisStore({ client: connect(config), ...settings });
    // Dead letters show how the others encode commands and answers.
    if (name !== '@upstash/redis') describeKept(title, open, admins);
    else describeRedisStore(title, open, admins, server);
  });

  it('joins its commands into pipelines where the client does', async () => {
    const store = redisStore({ client: connect({ enableAutoPipelining: true }) });
    expect(await once(store, unique(), nothing)).toBe('handled');
    expect(front().asked.map(({ operation }) => operation)).toContain('/pipeline');
  });

  describe('an answer that is lost', () => {
    // `repeats`: whether the client retries the claim.
    const faults: [title: string, { fault: Fault; repeats?: true }][] = [
      ['a cut before it ran', { fault: 'cut before', repeats: true }],
      ['a cut after it ran', { fault: 'cut', repeats: true }],
      ['an end before its length', { fault: 'truncated' }],
      ['half of its JSON', { fault: 'half' }],
      ['the page of a proxy', { fault: { status: 500, body: '<h1>Internal Server Error</h1>' } }],
      ['silence', { fault: 'mute' }],
    ];

    it.each(faults)('of a claim, by %s: it runs once, now or later', async (_, { fault, repeats }) => {
      const store = redisStore({ client: connect(), leaseMs: 1500 });
      const key = unique();
      let runs = 0;
      const run = async () => void runs++;
      const before = front().asked.filter(isScript).length;
      failNext(fault);
      if (repeats) {
        expect(await once(store, key, run)).toBe('handled');
        expect(front().asked.filter(isScript).length - before).toBe(3);
      } else {
        await expect(once(store, key, run)).rejects.toThrow();
        expect(runs).toBe(0);
      }
      // The store gives a claim back whose answer it did not get: nobody waits for the lease.
      await eventually(async () => expect(['handled', 'duplicate']).toContain(await once(store, key, run)), 2000);
      expect(runs).toBe(1);
    });

    it.each(faults)('of a record or a release, by %s: neither repeats nor blocks the run', async (_, { fault }) => {
      const store = redisStore({ client: connect(), timeoutMs: 1500, leaseMs: 1500 });
      const [key, failed] = [unique(), unique()];
      const run = async () => failNext(fault);
      expect(await once(store, key, run)).toBe('handled');
      expect(await once(redisStore({ client: connect() }), key, failing)).toBe('duplicate');
      await expect(once(store, failed, () => run().then(failing))).rejects.toThrow('the run failed');
      // If the release did not run, at the end of the lease.
      await eventually(async () => expect(await once(store, failed, nothing)).toBe('handled'));
    });
  });

  it('sends further commands while one hangs: each has a connection', async () => {
    const store = redisStore({ client: connect({ signal: undefined }), timeoutMs: 1000 });
    failNext('mute');
    const hanging = once(store, unique(), failing);
    await sleep(600);
    expect(await once(store, unique(), nothing)).toBe('handled');
    await expect(hanging).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
  });

  it('runs nothing on the answer that the client makes up for an aborted signal', async () => {
    let runs = 0;
    for (const reason of [undefined, 'claimed', 1]) {
      const store = redisStore({ client: connect({ signal: AbortSignal.abort(reason) }) });
      await expect(once(store, unique(), async () => void runs++)).rejects.toThrow();
    }
    expect(runs).toBe(0);
  });

  it('runs nothing with a wrong token', async () => {
    const store = redisStore({ client: connect({ token: 'wrong' }) });
    let runs = 0;
    await expect(once(store, unique(), async () => void runs++)).rejects.toThrow('Unauthorized');
    expect(runs).toBe(0);
  });
});
