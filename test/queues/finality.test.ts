import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FinalityVerdict, finalityOf } from '../../src/chain/finality/stage.js';
import { memoryStore } from '../../src/index.js';
import { enqueue, one } from '../contracts/enqueue-helpers.js';
import { eventually } from '../contracts/store-helpers.js';
import { event } from '../helpers.js';
import { hasOtherPeers } from '../peers/other-peers.js';
import { FINAL } from '../receiver/scripted-finality.js';
import { hasPostgres, startPostgres } from '../servers/postgres.js';
import { hasRedis, startRedis } from '../servers/redis.js';
import type { TestServer } from '../servers/server.js';
import { useServer } from '../servers/use-server.js';
import { engines, type WorkOptions } from './engines.js';

const TARGETS = [
  { open: 'openBullmqRedis', start: startRedis, has: hasRedis },
  { open: 'openBullmqPostgres', start: startPostgres, has: hasPostgres },
  { open: 'openPgBoss', start: startPostgres, has: hasPostgres },
] as const;
/** BullMQ has no other version. */
const targets = TARGETS.filter(({ open }) => open === 'openPgBoss' || !hasOtherPeers);

/** A finality that answers by the id of an event, its next verdict each time, and its last from then on. */
function answering(verdicts: Record<string, readonly FinalityVerdict[]> = {}) {
  const asked: Record<string, number> = {};
  const finality = finalityOf({
    check: async (events) =>
      events.map(({ id }) => {
        const [left = [FINAL], times = 0] = [verdicts[id], asked[id]];
        asked[id] = times + 1;
        return left[Math.min(times, left.length - 1)] ?? FINAL;
      }),
  });
  return { finality, asked };
}

const soon: FinalityVerdict = { status: 'pending', retryAfterMs: 100 };
const away: FinalityVerdict = { ...soon, error: new Error('no node answers') };

for (const { open, start, has } of targets) {
  describe.skipIf(!has)(`a worker with finality (${open})`, { timeout: 60_000 }, () => {
    const server = useServer<TestServer>(start);

    /** A worker on a queue whose jobs have one attempt each, so that waiting must not use an attempt up. */
    async function working(options: WorkOptions, ids: readonly string[], attempts = 1) {
      const queue = await engines[open](server().url, `q${randomUUID()}`, { attempts, backoffMs: 0 });
      onTestFinished(async () => void (await queue.close()));
      const handled: string[] = [];
      const reported: unknown[] = [];
      const onError: WorkOptions['onError'] = (error) => reported.push(error);
      await queue.work({ onEvent: ({ id }) => handled.push(id), store: memoryStore(), onError, ...options });
      for (const id of ids) await enqueue(queue, [event(id)], [id]);
      const settled = () => eventually(async () => expect(await queue.pending()).toBe(0), 30_000);
      return { queue, handled, reported, settled };
    }

    it('handles an event once when its block is final, and uses up no attempt before', async () => {
      const [first, second] = [one().id, one().id];
      const { finality, asked } = answering({ [first]: [soon, soon, FINAL] });
      const { queue, handled, settled } = await working({ finality }, [first, second]);
      await settled();
      expect(handled.toSorted()).toEqual([first, second].sort());
      expect(asked).toEqual({ [first]: 3, [second]: 1 });
      expect(await queue.deadLetters()).toEqual([]);
    });

    it('waits for a node for longer than all attempts, and reports why', async () => {
      const { id } = one();
      const { finality } = answering({ [id]: [away, away, away, FINAL] });
      const { queue, handled, reported, settled } = await working({ finality }, [id], 2);
      await settled();
      expect(handled).toEqual([id]);
      expect(reported).toHaveLength(3);
      expect(reported[0]).toMatchObject({ code: 'ERR_WEBHOOK_NOT_FINAL', cause: { message: 'no node answers' } });
      expect(await queue.deadLetters()).toEqual([]);
    });

    it('uses up an attempt when a handler throws what an engine takes for a delay', async () => {
      const { id } = one();
      const queue = await engines[open](server().url, `q${randomUUID()}`, { attempts: 2, backoffMs: 0 });
      onTestFinished(async () => void (await queue.close()));
      const thrown = ['DelayedError', 'WaitingError', 'WaitingChildrenError'].map((name) =>
        Object.assign(new Error('bullmq:movedToDelayed'), {
          name,
          code: 'ERR_WEBHOOK_NOT_FINAL',
          delayMs: 100,
          retryAfterMs: 100,
        }),
      );
      let runs = 0;
      const onEvent = () => Promise.reject(thrown[runs++]);
      await queue.work({ onEvent, finality: answering().finality, store: memoryStore() });
      await enqueue(queue, [event(id)]);
      await eventually(async () => expect(await queue.deadLetters()).toHaveLength(1), 20_000);
      expect(runs).toBe(2);
    });
  });
}
