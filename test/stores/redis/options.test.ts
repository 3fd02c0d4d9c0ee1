import { describe, expect, it, vi } from 'vitest';
import { type RedisStoreOptions, redisStore } from '../../../src/stores/redis/index.js';
import { failing, nothing } from '../../contracts/store-helpers.js';
import { once } from '../calls.js';

/** A client that answers commands with `answer`, and records them. */
function answering(answer: (command: string) => unknown = () => 'OK') {
  const asked: string[][] = [];
  const call = async (...command: [string, ...string[]]) => {
    asked.push(command);
    return answer(command[0]);
  };
  return { asked, client: { call } };
}

/** The arguments of a claim: its times, the state, the owner, and no record. */
const CLAIM = ['60000', '604860000', 'free', expect.any(String), ''];

const refused = { name: 'ConfigError', code: 'ERR_WEBHOOK_CONFIG' };
const create = (options: unknown) => () => redisStore(options as RedisStoreOptions);

describe('redisStore', () => {
  it.each([
    [undefined, 'takes an options object, got undefined'],
    [null, 'takes an options object, got null'],
    ['redis://localhost', 'takes an options object, got a string'],
    [answering().client, 'takes an options object: call redisStore({ client, … })'],
    [{ client: answering().client, keyPrefix: 'a:' }, 'has no option `keyPrefix`. Did you mean `prefix`?'],
  ])('refuses the options %j', (options, message) => {
    expect(create(options)).toThrow(expect.objectContaining(refused));
    expect(create(options)).toThrow(`\`redisStore\` ${message}`);
  });

  it.each([
    ['nothing', undefined],
    ['a URL', 'redis://localhost:6379'],
    ['a promise of a client', Promise.resolve(answering().client)],
    ['an object that can only set and get', { set: nothing, get: nothing }],
    ['an object whose methods are not functions', { call: 'call', customCommand: true, set: {}, eval: {} }],
  ])('refuses %s as the client, and says which clients it takes', (_, client) => {
    expect(create({ client })).toThrow(expect.objectContaining(refused));
    expect(create({ client })).toThrow(/^`client` must be a client of ioredis, iovalkey, node-redis .*, got \w/);
  });

  it.each(['', 'web hook:', 'webhook:\n', 'webhook:*', "a'", 'é:', 'x'.repeat(101), 1])(
    'refuses %j as the prefix',
    (prefix) => {
      expect(create({ client: answering().client, prefix })).toThrow(expect.objectContaining(refused));
      expect(create({ client: answering().client, prefix })).toThrow(/^`prefix` must be 1 to 100 letters/);
    },
  );

  it.each(['a', 'webhook:', '{app}:events.v1_-', 'x'.repeat(100)])('accepts %j as the prefix', async (prefix) => {
    const { client, asked } = answering(() => ['duplicate']);
    expect(await once(redisStore({ client, prefix }), 'key', failing)).toBe('duplicate');
    expect(asked).toEqual([['eval', expect.any(String), '1', `${prefix}key`, ...CLAIM]]);
  });

  it.each([
    { leaseMs: 0 },
    { leaseMs: Number.NaN },
    { leaseMs: 2 ** 31 },
    { retentionMs: 0 },
    { retentionMs: Number.POSITIVE_INFINITY },
    { timeoutMs: -1 },
  ])('refuses %j', (numbers) => {
    expect(create({ client: answering().client, ...numbers })).toThrow(expect.objectContaining(refused));
  });

  it('throws the error of a client that cannot be looked at, such as kv of @vercel/kv without its environment', () => {
    const kv = new Proxy(
      {},
      {
        get() {
          throw new Error('Missing required environment variables');
        },
      },
    );
    expect(create({ client: kv })).toThrow('Missing required environment variables');
  });

  it('calls @upstash/redis with its own arguments, and not those of node-redis', async () => {
    const asked: unknown[][] = [];
    const evaluate = async (...args: unknown[]) => {
      asked.push(args);
      return ['duplicate'];
    };
    await once(redisStore({ client: { eval: evaluate, createScript: nothing } }), 'key', failing);
    await once(redisStore({ client: { eval: evaluate } }), 'key', failing);
    const keys = ['webhook:key'];
    const args = CLAIM;
    expect(asked).toEqual([
      [expect.any(String), keys, args],
      [expect.any(String), { keys, arguments: args }],
    ]);
  });

  it('counts calls over HTTP as lost after a minute: Workers never answers those of a cancelled request', async () => {
    vi.useFakeTimers();
    try {
      let isUp = false;
      const evaluate = (_script: string, keys: readonly string[]) =>
        isUp ? Promise.resolve(keys.map(() => 'duplicate')) : new Promise<never>(() => {});
      const store = redisStore({ client: { eval: evaluate, createScript: nothing }, timeoutMs: 100 });
      for (let turn = 0; turn < 1000; turn++) {
        void once(store, `lost-${turn}`, failing).catch(() => {});
        // Sends it alone.
        for (let part = 0; part < 4; part++) await null;
      }
      await vi.advanceTimersByTimeAsync(61_000);
      isUp = true;
      const words = Promise.all(Array.from({ length: 100 }, (_, index) => once(store, `key-${index}`, failing)));
      expect(new Set(await words)).toEqual(new Set(['duplicate']));
    } finally {
      vi.useRealTimers();
    }
  });

  it('sends integer milliseconds to the server', async () => {
    const { client, asked } = answering(() => ['duplicate']);
    const store = redisStore({ client, leaseMs: 1000.25 });
    await once(store, 'key', failing);
    expect(asked[0]?.slice(4, 6)).toEqual(['1001', '604801001']);
  });

  it.each([undefined, 'QUEUED', {}, [null], ['OK', 'OK'], Uint8Array.of(79, 75)])(
    'runs nothing if the client returns %j, which Redis never answers',
    async (wrong) => {
      let runs = 0;
      const run = async () => void runs++;
      const refusal = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('return promises') };
      await expect(once(redisStore({ client: answering(() => wrong).client }), 'key', run)).rejects.toMatchObject(
        refusal,
      );
      expect(runs).toBe(0);
    },
  );

  it('sends nothing before the first key', () => {
    const { client, asked } = answering();
    redisStore({ client });
    expect(asked).toEqual([]);
  });
});
