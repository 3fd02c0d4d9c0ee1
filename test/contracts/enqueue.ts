import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WebhookEvent } from '../../src/index.js';
import { event, noting, signed } from '../helpers.js';
import type { EngineQueue, OpenQueue } from '../queues/engines.js';
import { type FileTransaction, fileStore, type WorkerProcess } from '../queues/worker-process.js';
import type { TestServer } from '../servers/server.js';
import {
  type Engine,
  engineKeys,
  enqueue,
  eventualValue,
  idsOf,
  jobOf,
  keysOf,
  one,
  some,
  storedKeys,
  untilKilled,
} from './enqueue-helpers.js';
import { eventually, HOSTILE_KEYS } from './store-helpers.js';

/** The contract of every engine's enqueue and worker. Call it in a describe. */
export function enqueueContract({ start, open, openName, isAtomic, refuseSome }: Engine): void {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  }, 60_000);
  afterAll(() => server.stop());

  /** A new queue, or another client of an existing one. */
  async function opened(name = `q${randomUUID()}`, options?: Parameters<OpenQueue>[2]) {
    const queue = await open(server.url, name, options);
    onTestFinished(() => queue.close());
    return { name, queue };
  }
  const settled = (queue: EngineQueue) =>
    eventually(async () => {
      await queue.tick();
      expect(await queue.pending()).toBe(0);
    }, 20_000);

  describe('storing', () => {
    it('stores each event of a delivery with its key and the timestamp', async () => {
      const { queue } = await opened();
      const events = some(3);
      await enqueue(queue, events, ['key 1', 'key 2', 'key 3']);
      const data = (await queue.jobs()).map((job) => job.data);
      const expected = events.map((each, index) => jobOf(each, `key ${index + 1}`));
      expect(data).toHaveLength(3);
      expect(data).toEqual(expect.arrayContaining(expected));
    });

    it('stores an event once when several clients enqueue it concurrently, in any order', async () => {
      const { name, queue } = await opened();
      const { queue: other } = await opened(name);
      const events = some(300);
      await Promise.all(
        [queue, other, queue, other].flatMap((each) => [enqueue(each, events), enqueue(each, events.toReversed())]),
      );
      expect(await storedKeys(queue)).toEqual(idsOf(events).sort());
    });

    it('accepts any key, and confuses no two of them', async () => {
      const { queue } = await opened();
      const handled: string[] = [];
      const keys = [...HOSTILE_KEYS, '', ...engineKeys];
      expect(new Set(keys).size).toBe(keys.length);
      await enqueue(queue, some(keys.length), keys);
      await enqueue(queue, some(keys.length), keys);
      await queue.work((_, { idempotencyKey }) => {
        handled.push(idempotencyKey);
      });
      await settled(queue);
      expect(handled.sort()).toEqual(keys.toSorted());
    });

    it('gives the worker an identical event, whatever characters it contains', async () => {
      const { queue } = await opened();
      const hostile = event('plain\0\ud800');
      hostile.data.event.inputs = ['\0', 'a\0b', '\udfff', '\\u0000', '\u2028', '😀'].map((value) => ({
        name: '__proto__',
        value,
        hashed: false,
        type: 'string',
      }));
      const plain = one();
      const seen: WebhookEvent[] = [];
      await enqueue(queue, [hostile, plain]);
      await queue.work((each) => {
        seen.push(each);
      });
      await settled(queue);
      expect(seen).toHaveLength(2);
      expect(seen).toEqual(expect.arrayContaining([hostile, plain]));
    });

    it('rejects when one event cannot be stored, and stores each once after a redelivery', async () => {
      const { queue } = await opened();
      const events = [...some(500), event(randomUUID(), 'Unstorable'), ...some(500)];
      const undo = await refuseSome(server.url);
      try {
        await expect(enqueue(queue, events)).rejects.toThrow();
      } finally {
        await undo();
      }
      const stored = (await queue.jobs()).length;
      expect(stored).toBeLessThan(events.length);
      expect(stored === 0).toBe(isAtomic);
      await enqueue(queue, events);
      expect(await storedKeys(queue)).toEqual(idsOf(events).sort());
    });
  });

  describe('working', () => {
    it('does not run an event again when it is redelivered after it completed', async () => {
      const { queue } = await opened();
      const [first, second, third] = [some(3), some(3), some(1)];
      const handled: string[] = [];
      await queue.work(({ id }) => {
        handled.push(id);
      });
      await enqueue(queue, first);
      await settled(queue);
      await enqueue(queue, first);
      await enqueue(queue, [...second, ...first]);
      await settled(queue);
      await enqueue(queue, third);
      await settled(queue);
      expect(handled.sort()).toEqual(idsOf([...first, ...second, ...third]).sort());
    });

    it('retries only the event whose handler failed', async () => {
      const { queue } = await opened(undefined, { backoffMs: 0 });
      const events = some(8);
      const runs = new Map<string, number>();
      await enqueue(queue, events);
      await queue.work(({ id }) => {
        const run = (runs.get(id) ?? 0) + 1;
        runs.set(id, run);
        if (id === events[3]?.id && run < 3) throw new Error('boom');
      });
      await settled(queue);
      expect(idsOf(events).map((id) => runs.get(id))).toEqual([1, 1, 1, 3, 1, 1, 1, 1]);
      expect(await queue.deadLetters()).toEqual([]);
    });

    it('makes an event whose handler fails at every try a dead letter, with the reason', async () => {
      const { queue } = await opened(undefined, { attempts: 2, backoffMs: 0 });
      const each = one();
      let runs = 0;
      await enqueue(queue, [each]);
      await queue.work(() => {
        runs++;
        throw new Error('boom \0 \ud800');
      });
      await settled(queue);
      expect(runs).toBe(2);
      expect(await queue.deadLetters()).toEqual([
        { data: jobOf(each), reason: expect.stringContaining('boom \ufffd') },
      ]);
      await enqueue(queue, [each]);
      expect(await queue.pending()).toBe(0);
    });

    it('makes data of another shape a dead letter with its issues, without running or retrying it', async () => {
      const { queue } = await opened();
      const each = one();
      const wrong = [{ nothing: true }, { ...jobOf(event('x')), event: { id: 7, event: 'event.emitted' } }];
      const handled: string[] = [];
      await enqueue(queue, [each]);
      for (const data of wrong) await queue.add(data);
      await queue.work(({ id }) => {
        handled.push(id);
      });
      await settled(queue);
      const dead = await queue.deadLetters();
      expect(handled).toEqual([each.id]);
      expect(dead).toHaveLength(2);
      expect(dead).toEqual(
        expect.arrayContaining([
          { data: wrong[0], reason: expect.stringContaining('idempotencyKey') },
          { data: wrong[1], reason: expect.stringMatching(/event.*id/) },
        ]),
      );
    });
  });

  describe('a worker that is killed', () => {
    async function killedAt(hangs: WorkerProcess['hangs'], deaths: number) {
      const directory = await mkdtemp(join(tmpdir(), 'effects-'));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      const { name, queue } = await opened(undefined, { backoffMs: 0 });
      const each = one();
      await enqueue(queue, [each]);
      const ticking = setInterval(() => void queue.tick(), 200);
      onTestFinished(() => clearInterval(ticking));
      for (let death = 0; death < deaths; death++) {
        await untilKilled({ open: openName, url: server.url, queue: name, directory, hangs });
      }
      const effectsBefore = await readdir(directory);
      const handled: string[] = [];
      const onEvent = ({ id }: WebhookEvent, { tx }: { tx: FileTransaction }) => {
        handled.push(id);
        tx.effect(id);
      };
      await queue.work<FileTransaction>(onEvent, { store: fileStore(directory) });
      await settled(queue);
      const effects = await readFile(join(directory, each.id), 'utf8');
      expect(await queue.deadLetters()).toEqual([]);
      return { id: each.id, effectsBefore, effects, handled };
    }

    it('repeatedly during a job leaves the job to another, which has the effect', async () => {
      const { id, effectsBefore, effects, handled } = await killedAt('before', 2);
      expect({ effectsBefore, effects, handled }).toEqual({ effectsBefore: [], effects: id, handled: [id] });
    }, 60_000);

    it('after the effect, but before the engine knows, leaves the job to another, which does not repeat the effect', async () => {
      const { id, effectsBefore, effects, handled } = await killedAt('after', 1);
      expect({ effectsBefore, effects, handled }).toEqual({ effectsBefore: [id], effects: id, handled: [] });
    });
  });

  describe('behind a receiver', () => {
    it('answers 503 while the engine is slow, and a late success stores no event twice', async () => {
      const { queue } = await opened();
      await enqueue(queue, some(1));
      const { receiver, reported } = noting({ enqueue: queue.enqueue, handlerTimeoutMs: 150 });
      const delivery = signed(some(3));
      server.pause();
      try {
        expect((await receiver.handle(delivery)).status).toBe(503);
        expect((await receiver.handle(delivery)).status).toBe(503);
      } finally {
        server.resume();
      }
      await eventually(async () => expect((await receiver.handle(delivery)).status).toBe(200));
      expect(new Set(reported)).toEqual(new Set(['ERR_WEBHOOK_ENQUEUE']));
      expect(await queue.jobs()).toHaveLength(4);
    });

    it('answers 503 while the engine is down, recovers by itself, and loses no acknowledged event', async () => {
      const { queue } = await opened();
      const { receiver } = noting({ enqueue: queue.enqueue, handlerTimeoutMs: 1000 });
      const [before, during] = [some(5), some(5)];
      expect((await receiver.handle(signed(before))).status).toBe(200);
      const pending = receiver.handle(signed(during));
      await server.kill();
      let acknowledged = (await pending).status === 200;
      // A server process that serves a connection may live on for a moment.
      await eventually(async () => {
        const { status } = await receiver.handle(signed(during));
        acknowledged ||= status === 200;
        expect(status).toBe(503);
      });
      await server.restart();
      const kept = await eventualValue(() => storedKeys(queue));
      expect(kept).toEqual(expect.arrayContaining(keysOf(acknowledged ? [...before, ...during] : before)));
      await eventually(async () => expect((await receiver.handle(signed(during))).status).toBe(200));
      expect(await storedKeys(queue)).toEqual(keysOf([...before, ...during]).sort());
    });
  });
}
