import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type RedisLike, redisStore } from '../../../src/stores/redis/index.js';
import { DELIVERY, type LetterStore, RETRY } from '../../../src/stores/store.js';
import { failure } from '../../contracts/letters.js';
import { hasRedis, needsRedis } from '../../servers/redis.js';
import { connectIoRedis, useRedis } from './clients.js';
import { passTime } from './contract.js';

const NOW = { afterAttempts: 1 };
const KEY = 'webhook:a';
const INDEX = 'webhook:{dead-letters}';
const HOUR = 3_600_000;

describe.skipIf(!hasRedis)(`dead letters in Redis${needsRedis}`, () => {
  const { server, admin } = useRedis();
  beforeEach(() => admin().flushall());

  const open = (client: RedisLike) => {
    const store = redisStore({ client, retentionMs: HOUR });
    return { store, letters: store.letters as LetterStore };
  };
  const connected = async () => open(await connectIoRedis(server().url));
  const rowOf = async () => JSON.parse((await admin().get(KEY)) ?? '{}');
  const indexed = () => admin().zrange(INDEX, 0, -1);

  it('shows people what failed, and never expires', async () => {
    const { letters } = await connected();
    await letters.fail('a', failure({ source: 'mainnet', message: 'a\0b' }));
    expect(await rowOf()).toMatchObject({ attempts: 1, record: { source: 'mainnet' }, message: 'a\ufffdb' });
    expect(await rowOf()).not.toHaveProperty('letter');
    expect(await admin().pttl(KEY)).toBeGreaterThan(HOUR - 10_000);
    await letters.fail('a', failure({ ...NOW, code: 'E_OTHER', letter: '{}' }));
    expect(await rowOf()).toMatchObject({ attempts: 2, code: 'E_OTHER', letter: '{}', record: {} });
    expect(await rowOf()).not.toHaveProperty('record.source');
    expect(await admin().pttl(KEY)).toBe(-1);
    expect(await indexed()).toEqual(['a']);
  });

  it('forgets a count retentionMs after the last failure, whatever was claimed since', async () => {
    const { store, letters } = await connected();
    await letters.fail('a', failure());
    await passTime(HOUR / 2, admin());
    const owner = crypto.randomUUID();
    await store.claim(['a'], owner, DELIVERY);
    // The run is not longer than its lease: the count is kept meanwhile.
    expect(await admin().pttl(KEY)).toBeGreaterThan(HOUR);
    const row = await rowOf();
    await admin().set(KEY, JSON.stringify({ ...row, lastFailedAt: row.lastFailedAt - HOUR }));
    await store.release(['a'], owner);
    expect(await admin().exists(KEY)).toBe(0);
    expect(await letters.fail('a', failure())).toMatchObject({ attempts: 1 });
  });

  it('counts a failure once that the client sends twice', async () => {
    const client = await connectIoRedis(server().url);
    const twice = {
      async call(command: string, ...args: string[]) {
        await client.call(command, ...args);
        return client.call(command, ...args);
      },
    };
    const { store, letters } = open(twice);
    expect(await letters.fail('a', failure({ afterAttempts: 2 }))).toMatchObject({ attempts: 1, isDead: false });
    expect(await letters.fail('a', failure({ afterAttempts: 2 }))).toMatchObject({ attempts: 2, isDead: true });
    expect((await letters.look(['a'])).get('a')).toMatchObject({ attempts: 2 });
    const owner = crypto.randomUUID();
    expect((await store.claim(['a'], owner, RETRY)).get('a')).toEqual({});
    expect((await store.record(['a'], owner, RETRY)).get('a')).toBe(true);
    await letters.fail('b', failure(NOW));
    expect(await letters.discard(['b'])).toEqual(new Set(['b']));
  });

  it('keeps no key in the list after its letter is gone', async () => {
    const { store, letters } = await connected();
    for (const key of ['a', 'b', 'c', 'd']) await letters.fail(key, failure(NOW));
    const owner = crypto.randomUUID();
    await store.claim(['a'], owner, RETRY);
    await store.record(['a'], owner, RETRY);
    await letters.discard(['b']);
    expect(await indexed()).toEqual(['c', 'd']);
    // As when a process died before it could.
    await admin().set('webhook:c', JSON.stringify({ state: 'done', owner: 'x' }));
    expect([...(await letters.list({ limit: 10 })).letters.keys()]).toEqual(['d']);
    expect(await indexed()).toEqual(['d']);
  });

  it('lists a letter whose process died before it was told of it', async () => {
    const client = await connectIoRedis(server().url);
    const calls: string[] = [];
    const dying = {
      async call(command: string, ...args: string[]) {
        calls.push(args[2] ?? '');
        const answer = await client.call(command, ...args);
        if (calls.length === 3) throw new Error('The connection is closed.');
        return answer;
      },
    };
    const lost = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('will be redelivered') };
    await expect(open(dying).letters.fail('a', failure(NOW))).rejects.toMatchObject(lost);
    expect(calls).toEqual([KEY, INDEX, KEY]);
    expect([...(await open(client).letters.list({ limit: 10 })).letters.keys()]).toEqual(['a']);
  });

  it('refuses a letter for which the server has no room', async () => {
    const { letters } = await connected();
    onTestFinished(() => void admin().config('SET', 'maxmemory', '0'));
    await admin().config('SET', 'maxmemory', '1');
    const full = {
      code: 'ERR_WEBHOOK_STORE',
      cause: expect.objectContaining({ message: expect.stringMatching(/OOM/) }),
    };
    await expect(letters.fail('a', failure(NOW))).rejects.toMatchObject(full);
    await admin().config('SET', 'maxmemory', '0');
    expect(await admin().keys('*')).toEqual([]);
  });

  it('leaves a key of another type alone', async () => {
    const { letters } = await connected();
    await admin().lpush(KEY, 'not ours');
    await expect(letters.fail('a', failure(NOW))).rejects.toThrow(/Redis did not keep/);
    expect(await letters.look(['a'])).toEqual(new Map());
    expect(await letters.discard(['a'])).toEqual(new Set());
    expect(await admin().lrange(KEY, 0, -1)).toEqual(['not ours']);
  });
});
