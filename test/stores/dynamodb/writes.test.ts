import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { WebhookError } from '../../../src/index.js';
import { nothing, unique } from '../../contracts/store-helpers.js';
import { event, noting, signed } from '../../helpers.js';
import { once, onceEach } from '../calls.js';
import { clientNames, hasDynamoDB, needsDynamoDB, type Opened, type Tx, useMemory } from './server.js';

const KB = 1024;

describe.skipIf(!hasDynamoDB)(`context.tx of dynamodbStore${needsDynamoDB}`, { timeout: 30_000 }, () => {
  const { open } = useMemory();
  describe.each(clientNames)('over %s', (name) => {
    let opened: Opened;
    beforeEach(() => {
      opened = open(name);
    });

    /** The error of an event whose handler does this, which leaves its key free. */
    async function refused(work: (tx: Tx) => unknown): Promise<WebhookError> {
      const key = unique();
      const run = vi.fn(async (tx: Tx) => void (await work(tx)));
      const store = opened.transactional();
      const error = await once(store, key, run).then(
        (word) => expect.unreachable(word),
        (each) => each,
      );
      expect(run).toHaveBeenCalledOnce();
      expect(await once(store, key, nothing)).toBe('handled');
      return error;
    }

    const large = (size: number) => opened.put({ id: unique(), data: new Uint8Array(size) });
    const many = (count: number) => Array.from({ length: count }, () => opened.put({ id: unique() }));

    it('commits up to 99 writes with a key', async () => {
      const ids = Array.from({ length: 98 }, unique);
      const key = unique();
      const store = opened.transactional();
      const run = async (tx: Tx) => {
        for (const id of ids) tx.write(opened.add(id));
        tx.write(opened.put({ id: key, count: 1 }, 'once'));
      };
      expect(await once(store, key, run)).toBe('handled');
      for (const id of [...ids.slice(0, 3), key]) expect(await opened.count(id)).toBe(1);
    });

    it.each<[string, (tx: Tx) => unknown, string]>([
      ['more than 99 writes', (tx) => tx.write(...many(100)), 'tx.write takes up to 99'],
      ['an item over 400 kB', (tx) => tx.write(large(401 * KB)), 'up to 400 kB'],
      ['over 4 MB', (tx) => tx.write(...Array.from({ length: 11 }, () => large(390 * KB))), '4 MB in total'],
      ['two writes of one item', (tx) => tx.write(...twice(opened)), 'one write per item'],
      ['a table that does not exist', (tx) => tx.write(inMissingTable(opened)), 'not have a table named in tx.write'],
      ['an empty object', (tx) => tx.write({}), 'exactly one of Put, Update, Delete and ConditionCheck'],
      ['a circular write', (tx) => tx.write(circular()), 'circular'],
      ['a value that the client cannot send', (tx) => tx.write(unsendable(name, opened)), 'the writes of tx.write'],
    ])('refuses %s by name, commits nothing, and frees the key', async (_, work, message) => {
      const id = unique();
      const error = await refused((tx) => {
        tx.write(opened.add(id));
        return work(tx);
      });
      expect(error).toMatchObject({ code: 'ERR_WEBHOOK_HANDLER', message: expect.stringContaining(message) });
      expect(await opened.count(id)).toBe(0);
    });

    it('writes what an object contained when it was passed', async () => {
      const ids = Array.from({ length: 3 }, unique);
      const put = (id: string) => opened.put({ id, count: 1, data: new Uint8Array(1) }) as { Put: { Item: object } };
      const reused = put(unique());
      const run = async (tx: Tx) => {
        for (const id of ids) {
          Object.assign(reused.Put.Item, put(id).Put.Item);
          tx.write(reused);
        }
        queueMicrotask(() => Object.assign(reused.Put, { TableName: 'missing' }));
      };
      expect(await once(opened.transactional(), unique(), run)).toBe('handled');
      for (const id of ids) expect(await opened.count(id)).toBe(1);
    });

    it('names the write whose condition failed, and quotes nothing of it', async () => {
      const id = unique();
      const error = await refused((tx) => tx.write(opened.add(id), opened.check('never-written')));
      expect(error).toMatchObject({
        code: 'ERR_WEBHOOK_HANDLER',
        message: 'Write 1 of tx.write (counted from 0) failed, so nothing was committed: its condition is not true.',
      });
      expect(await opened.count(id)).toBe(0);
    });

    it('writes nothing once the handler has settled, and reports it under the key of its event', async () => {
      const id = unique();
      let kept: Tx | undefined;
      const told: unknown[] = [];
      const { receiver } = noting<Tx>({
        store: opened.transactional(),
        onEvent(_, { tx }) {
          kept = tx;
        },
        onError: ({ code }, { idempotencyKey }) => told.push([code, idempotencyKey]),
      });
      expect(await receiver.handle(signed([event(id)]))).toMatchObject({ status: 200 });
      for (const _ of [1, 2])
        expect(() => kept?.write(opened.add(id))).toThrow('after the handler had settled or timed out');
      expect(told).toEqual([['ERR_WEBHOOK_HANDLER', `event.emitted:${id}`]]);
      expect(await opened.count(id)).toBe(0);
    });

    it('handles a delivery of 60 events in transactions of 50', async () => {
      const events = Array.from({ length: 60 }, () => event(unique()));
      const sizes: number[] = [];
      const { receiver } = noting<Tx>({
        store: opened.transactional(),
        onEvents(entries, { tx }) {
          sizes.push(entries.length);
          for (const each of entries) tx.write(opened.add(each.event.id));
        },
      });
      expect((await receiver.handle(signed(events))).status).toBe(200);
      expect(sizes).toEqual([50, 10]);
      for (const { id } of events) expect(await opened.count(id)).toBe(1);
      expect((await receiver.handle(signed(events))).status).toBe(200);
      expect(sizes).toHaveLength(2);
    });

    it('does not let an event hold up its neighbours whose condition fails', async () => {
      const work = (tx: Tx, id: string) => tx.write(opened.add(id), opened.check('never-written'));
      const [good, bad, other] = [event(unique()), event(unique()), event(unique())];
      const { receiver, reported } = noting<Tx>({
        store: opened.transactional(),
        onEvents(entries, { tx }) {
          for (const each of entries) {
            if (each.event.id === bad.id) work(tx, bad.id);
            else tx.write(opened.add(each.event.id));
          }
        },
      });
      expect((await receiver.handle(signed([good, bad, other]))).status).toBe(500);
      expect(reported).toEqual(['ERR_WEBHOOK_HANDLER']);
      expect(await Promise.all([good, bad, other].map(({ id }) => opened.count(id)))).toEqual([1, 0, 1]);
    });

    it('answers in-progress for keys beyond 50', async () => {
      const keys = Array.from({ length: 70 }, unique);
      const word = (count: number, each: string) => Array.from({ length: count }, () => each);
      const words = await onceEach(opened.transactional(), keys, nothing);
      expect(words).toEqual([...word(50, 'handled'), ...word(20, 'in-progress')]);
    });
  });
});

function twice(opened: Opened): object[] {
  const id = unique();
  return [opened.put({ id }), opened.add(id)];
}

function circular(): object {
  const Item: Record<string, unknown> = {};
  Item.self = Item;
  return { Put: { Item } };
}

function inMissingTable(opened: Opened): object {
  const { Put } = opened.put({ id: unique() }) as { Put: object };
  return { Put: { ...Put, TableName: 'missing' } };
}

/** DynamoDB refuses it; the document client does not send it. */
function unsendable(name: string, opened: Opened): object {
  const { Put } = opened.put({ id: unique() }) as { Put: { Item: object } };
  return { Put: { ...Put, Item: { ...Put.Item, data: name === 'DynamoDB' ? {} : new (class {})() } } };
}
