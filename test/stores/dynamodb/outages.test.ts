import { type ContractEffects, storeContract } from 'event-webhooks/store-contract';
import { describe, expect, it, test } from 'vitest';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { startRestartableDynamoDB } from '../../servers/dynamodb.js';
import { startFront } from '../../servers/http-front.js';
import { useServer } from '../../servers/use-server.js';
import { once } from '../calls.js';
import { hasDynamoDB, needsDynamoDB, type Opened, type Tx, useDynamoDB, useMemory } from './server.js';

describe.skipIf(!hasDynamoDB)(`dynamodbStore, when DynamoDB cannot be reached${needsDynamoDB}`, () => {
  const { open, server } = useMemory();
  const front = useServer(() => startFront(server().url));

  describe.each(['lease', 'transactional'] as const)('%s', (mode) => {
    let opened: Opened;
    const effects: ContractEffects<Tx> = {
      write: (tx, id) => tx.write(opened.add(id)),
      count: (id) => open('DynamoDB').count(id),
    };
    storeContract<Tx>(
      async (settings) => {
        opened = open('DynamoDB', {}, front().url);
        await opened.count('connects');
        return opened[mode](settings) as ReturnType<Opened['transactional']>;
      },
      {
        test: (name, run, timeoutMs) => name.startsWith('an outage') && test(name, run, timeoutMs),
        effects: mode === 'transactional' ? effects : undefined,
        outage: { begin: () => front().begin(), end: () => front().end() },
      },
    );

    it('names the code of a connection that fails', async () => {
      const store = open('DynamoDB', { maxAttempts: 1 }, 'http://127.0.0.1:1')[mode]();
      const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('(ECONNREFUSED)') };
      await expect(once(store, unique(), failing)).rejects.toMatchObject(error);
    });

    it('fails without a run while there is no answer, says so, and recovers by itself', {
      timeout: 20_000,
    }, async () => {
      const store = open('DynamoDB', {}, front().url)[mode]({ timeoutMs: 500 });
      const key = unique();
      front().onRequest(() => 'mute');
      const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('in time (timeoutMs') };
      await expect(once(store, key, failing)).rejects.toMatchObject(error);
      front().onRequest(() => undefined);
      await eventually(async () => expect(await once(store, key, nothing)).toBe('handled'));
    });
  });
});

describe.skipIf(!hasDynamoDB)(`dynamodbStore, when DynamoDB Local is killed${needsDynamoDB}`, () => {
  const { open, server } = useDynamoDB(startRestartableDynamoDB);

  it('keeps keys and effects, and takes the key of a run over that the outage made fail', {
    timeout: 90_000,
  }, async () => {
    const opened = open('DynamoDB');
    await opened.count('connects');
    const store = opened.transactional({ leaseMs: 10_000, timeoutMs: 2000 });
    const [done, cut] = [unique(), unique()];
    const write = (id: string) => async (tx: Tx) => tx.write(opened.add(id));
    // A claim has a second, which the first of a new process of Java may exceed.
    await eventually(async () => expect(await once(store, unique(), write(unique()))).toBe('handled'), 40_000);
    expect(await once(store, done, write(done))).toBe('handled');
    const during = once(store, cut, async (tx) => {
      tx.write(opened.add(cut));
      await server().kill();
    });
    await expect(during).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    await server().restart();
    expect(await opened.count(cut)).toBe(0);
    await eventually(async () => expect(await once(store, cut, write(cut))).toBe('handled'), 40_000);
    expect(await once(store, done, failing)).toBe('duplicate');
    expect([await opened.count(done), await opened.count(cut)]).toEqual([1, 1]);
  });
});
