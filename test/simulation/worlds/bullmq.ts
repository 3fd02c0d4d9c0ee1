import type { BullmqJobLike } from '../../../src/queues/bullmq/index.js';
import type { EventWorkerOptions } from '../../../src/queues/run-job.js';
import type { World } from '../kernel/world.js';
import { BullmqEngine, bullmqQueue } from '../models/bullmq-engine.js';
import { BullmqWorker } from '../models/bullmq-worker.js';
import type { Subject } from '../subject/load.js';
import { type JobFate, playQueue, type QueueEngine, type Replica, remembering } from './queue-world.js';
import type { WorldDefinition } from './world-definition.js';

const LOCK_MS = 1000;

export const bullmq: WorldDefinition = {
  name: 'bullmq',
  about: 'Two replicas with `bullmqEnqueue` and `bullmqWorker`: without a store, with leases, and with a finality.',
  play: (choices, subject) => playQueue(choices, subject, (world) => bullmqOf(world, subject)),
};

function bullmqOf(world: World, subject: Subject): QueueEngine {
  const { choices } = world;
  const engine = new BullmqEngine(world.server('redis'));
  const { model } = engine;
  const enqueueing = { attempts: choices.pick([8, 3, 2]), backoffMs: choices.pick([100, 0, 1000]) };
  const working = { lockDuration: LOCK_MS, stalledInterval: LOCK_MS / 2, maxStalledCount: 100, drainDelayMs: 1000 };
  const concurrency = 1 + choices.below(2);
  const idOf = remembering(subject.bullmqJobId);

  function fateOf(key: string): JobFate {
    const state = model.stateOf(idOf(key));
    if (state === 'unknown') return 'nothing';
    if (state === 'completed') return 'done';
    return state === 'failed' ? 'dead' : 'kept';
  }

  function open({ process, oracle }: Replica, options: EventWorkerOptions) {
    const processor = subject.bullmqWorker(options);
    const counted = async (job: BullmqJobLike, token: string) => {
      const key = String(Reflect.get(Object(job.data), 'idempotencyKey'));
      const begun = oracle.beginTry(process, key);
      const { moveToDelayed } = job;
      let isDelayed = false;
      const watched = Object.assign(Object.create(job), {
        async moveToDelayed(timestamp: number, lock?: string) {
          await moveToDelayed?.(timestamp, lock);
          isDelayed = true;
        },
      });
      try {
        await processor(watched, token);
      } catch (error) {
        const isTold = (error as Error).name === 'DelayedError';
        if (isDelayed !== isTold) world.fail('delays without telling', `${key}: ${String(error)}`);
        // A worker that was frozen or cut off may have lost the job.
        const isLost = model.locks(Math.floor(engine.server.wall())).get(idOf(key)) !== token;
        oracle.endTry(process, key, begun, isLost ? undefined : (error as Error));
        throw error;
      }
      oracle.endTry(
        process,
        key,
        begun,
        begun.hasWaited ? new Error('The job of an event that waits completes.') : undefined,
      );
    };
    new BullmqWorker(engine, process, counted, { ...working, concurrency }).start();
    return subject.bullmqEnqueue({ queue: bullmqQueue(engine, process), ...enqueueing });
  }

  function isBuriedEarly(key: string): boolean {
    const job = model.job(idOf(key));
    return job !== undefined && job.attemptsMade < job.attempts;
  }

  return {
    ...{ open, fateOf, isBuriedEarly },
    get changes() {
      return engine.scripts;
    },
  };
}
