import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DynamoDBLike, dynamodbStore } from '../../../src/stores/dynamodb/index.js';
import { eventually, failing, nothing, unique } from '../../contracts/store-helpers.js';
import { type Asked, type Fault, type Front, startFront } from '../../servers/http-front.js';
import { once, onceEach } from '../calls.js';
import { hasDynamoDB, needsDynamoDB, refusal, type Tx, useMemory } from './server.js';

/** Applies a fault to the first `times` requests of an operation. */
function first(times: number, operation: string, fault: Fault, within = ''): (asked: Asked) => Fault {
  let left = times;
  return (asked) => (asked.operation === operation && asked.body.includes(within) && left-- > 0 ? fault : undefined);
}
const ALWAYS = Number.POSITIVE_INFINITY;
const CONFLICT = refusal('TransactionConflictException');
const THROTTLED = refusal('ProvisionedThroughputExceededException');

describe.skipIf(!hasDynamoDB)(`dynamodbStore, when requests fail${needsDynamoDB}`, { timeout: 30_000 }, () => {
  const { open, server } = useMemory();
  let front: Front;
  beforeEach(async () => {
    front = await startFront(server().url);
  });
  afterEach(() => front.stop());

  const through = (maxAttempts = 3) => open('DynamoDB', { maxAttempts }, front.url);
  const effect = (id: string) => async (tx: Tx) => tx.write(open('DynamoDB').add(id));
  const count = (id: string) => open('DynamoDB').count(id);
  const direct = () => open('DynamoDB').transactional();

  it.each(['UpdateItem', 'TransactWriteItems'])('waits for a throttled table: %s', async (operation) => {
    const key = unique();
    front.onRequest(first(2, operation, THROTTLED));
    expect(await once(through().transactional(), key, effect(key))).toBe('handled');
    expect(await count(key)).toBe(1);
  });

  it('says that the table is throttled, runs nothing, and frees the keys that it had claimed', async () => {
    const keys = Array.from({ length: 40 }, unique);
    front.onRequest(first(ALWAYS, 'UpdateItem', THROTTLED, keys[7]));
    const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('PAY_PER_REQUEST') };
    await expect(onceEach(through(1).lease(), keys, failing)).rejects.toMatchObject(error);
    const store = open('DynamoDB').lease();
    await eventually(async () => {
      for (const key of keys) expect(['handled', 'duplicate']).toContain(await once(store, key, nothing));
    });
  });

  it('finds out that it has committed if a copy of its transaction is still under way', async () => {
    const key = unique();
    const [cut, conflict] = [first(ALWAYS, 'TransactWriteItems', 'cut'), first(2, 'DeleteItem', CONFLICT)];
    front.onRequest((asked) => cut(asked) ?? conflict(asked));
    expect(await once(through(1).transactional({ timeoutMs: 300 }), key, effect(key))).toBe('handled');
    expect(await count(key)).toBe(1);
  });

  it('commits once if conflicts cancel the transaction, and gives up when its time is over', async () => {
    const key = unique();
    front.onRequest(first(4, 'TransactWriteItems', refusal('TransactionInProgressException')));
    expect(await once(through(1).transactional(), key, effect(key))).toBe('handled');
    expect(await count(key)).toBe(1);
    front.onRequest(first(ALWAYS, 'TransactWriteItems', THROTTLED));
    const late = unique();
    const given = once(through(1).transactional({ timeoutMs: 500 }), late, effect(late));
    await expect(given).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    await eventually(async () => expect(await once(direct(), late, effect(late))).toBe('handled'));
    expect(await count(late)).toBe(1);
  });

  describe.each([1, 3])('when the answer to an executed request is cut, with %d attempts of the client', (attempts) => {
    it('runs no event twice that it claimed', async () => {
      const key = unique();
      front.onRequest(first(1, 'UpdateItem', 'cut'));
      const store = through(attempts).transactional({ leaseMs: 1000 });
      const claimed = await once(store, key, effect(key)).catch((error: { code: string }) => error.code);
      expect(claimed).toBe(attempts === 1 ? 'ERR_WEBHOOK_STORE' : 'handled');
      await eventually(async () => expect(await once(direct(), key, effect(key))).not.toBe('in-progress'));
      expect(await count(key)).toBe(1);
    });

    it('records what took effect', async () => {
      const key = unique();
      const store = through(attempts).lease();
      const run = async () => front.onRequest(first(1, 'UpdateItem', 'cut'));
      expect(await once(store, key, run)).toBe('handled');
      expect(await once(store, key, failing)).toBe('duplicate');
    });

    it('frees a key that it has freed', async () => {
      const key = unique();
      const store = through(attempts).lease();
      front.onRequest(first(1, 'DeleteItem', 'cut'));
      await expect(once(store, key, failing)).rejects.toThrow('the run failed');
      expect(await once(store, key, nothing)).toBe('handled');
    });

    it('finds out that it has committed', async () => {
      const key = unique();
      front.onRequest(first(1, 'TransactWriteItems', 'cut'));
      expect(await once(through(attempts).transactional(), key, effect(key))).toBe('handled');
      expect(await count(key)).toBe(1);
    });
  });

  it('fails if it cannot find out, and the redelivery does', async () => {
    const key = unique();
    front.onRequest(({ operation }) => (operation === 'UpdateItem' ? undefined : 'cut'));
    const store = through(1).transactional({ timeoutMs: 300 });
    const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('unknown whether it was committed') };
    await expect(once(store, key, effect(key))).rejects.toMatchObject(error);
    expect(await once(direct(), key, failing)).toBe('duplicate');
    expect(await count(key)).toBe(1);
  });

  it('gives up on a client that never settles, although its time is over', async () => {
    const key = unique();
    const hung = { transactWriteItems: { value: () => new Promise(nothing) } };
    const client: DynamoDBLike = Object.create(open('DynamoDB').client, hung);
    await once(direct(), unique(), nothing);
    const store = dynamodbStore({ client, table: 'webhook-keys', transactional: true, timeoutMs: 1000 });
    const error = {
      code: 'ERR_WEBHOOK_STORE',
      message: 'DynamoDB did not answer in time (timeoutMs): it is slow, throttles, or cannot be reached.',
    };
    await expect(once(store, key, async () => {})).rejects.toMatchObject(error);
    expect(await once(direct(), key, effect(key))).toBe('handled');
    expect(await count(key)).toBe(1);
  });

  it('says that the role lacks a permission, if that keeps it from finding out', async () => {
    front.onRequest(({ operation }) =>
      operation === 'UpdateItem'
        ? undefined
        : refusal(operation === 'DeleteItem' ? 'AccessDeniedException' : 'ValidationException'),
    );
    const error = { code: 'ERR_WEBHOOK_STORE', message: expect.stringContaining('dynamodb:DeleteItem') };
    await expect(once(through().transactional(), unique(), nothing)).rejects.toMatchObject(error);
  });

  it('answers in-progress for a key that another process is committing', async () => {
    front.onRequest(first(2, 'UpdateItem', CONFLICT));
    expect(await once(through().transactional(), unique(), nothing)).toBe('handled');
    const keys = [unique(), unique()];
    front.onRequest(first(ALWAYS, 'UpdateItem', CONFLICT, keys[0]));
    expect(await onceEach(through().transactional(), keys, nothing)).toEqual(['in-progress', 'handled']);
  });

  it('commits nothing by a copy of the transaction that arrives after it gave up', async () => {
    const key = unique();
    let arrive = nothing as () => void;
    const until = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    front.onRequest(first(ALWAYS, 'TransactWriteItems', { until }));
    const store = through(1).transactional({ timeoutMs: 300 });
    await expect(once(store, key, effect(key))).rejects.toMatchObject({ code: 'ERR_WEBHOOK_STORE' });
    const next = unique();
    await eventually(async () => expect(await once(direct(), key, effect(next))).toBe('handled'));
    arrive();
    // The copies have been answered when a request behind them is.
    await eventually(async () => expect(await once(direct(), unique(), nothing)).toBe('handled'));
    expect([await count(key), await count(next)]).toEqual([0, 1]);
  });

  it('changes nothing by a copy of the claim that arrives after the event took effect', async () => {
    const key = unique();
    const store = through().lease();
    let claim = '';
    front.onRequest((asked) => {
      claim ||= asked.body;
      return undefined;
    });
    expect(await once(store, key, nothing)).toBe('handled');
    const headers = { 'X-Amz-Target': 'DynamoDB_20120810.UpdateItem', Authorization: AUTHORIZATION };
    const answer = await fetch(server().url, { method: 'POST', headers, body: claim });
    expect(await answer.json()).toMatchObject({ __type: expect.stringContaining('ConditionalCheckFailedException') });
    expect(await once(store, key, failing)).toBe('duplicate');
  });
});

// DynamoDB Local checks its form.
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00';
