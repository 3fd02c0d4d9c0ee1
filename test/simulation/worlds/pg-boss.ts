import type { PgBossJobLike } from '../../../src/queues/pg-boss/index.js';
import type { EventWorkerOptions } from '../../../src/queues/run-job.js';
import { EPOCH_MS } from '../kernel/process.js';
import type { World } from '../kernel/world.js';
import { PgBossModel } from '../models/pg-boss.js';
import { PgBossClient } from '../models/pg-boss-client.js';
import type { Subject } from '../subject/load.js';
import { HANDLER_MS, type JobFate, playQueue, type QueueEngine, type Replica, remembering } from './queue-world.js';
import type { WorldDefinition } from './world-definition.js';

const QUEUE = 'events';
const DEAD = 'events-dead';
const WEEK_MINUTES = 7 * 24 * 60;

export const pgBoss: WorldDefinition = {
  name: 'pg-boss',
  about: 'Two replicas with `pgBossEnqueue` and `pgBossWorker` on pg-boss 10 or 12, in the same ways.',
  play: (choices, subject) => playQueue(choices, subject, (world) => pgBossOf(world, subject)),
};

function pgBossOf(world: World, subject: Subject): QueueEngine {
  const { choices } = world;
  const version = choices.pick([10, 12] as const);
  world.history.add('world', `has pg-boss ${version}`);
  const server = world.server('postgres');
  const model = new PgBossModel({
    ...{ version, random: () => choices.below(100) / 100, uuid: () => world.uuid() },
    // Soon, so that deliveries meet jobs in the archive.
    archiveAfterSeconds: 2,
  });
  const queue = { policy: 'standard', retentionMinutes: WEEK_MINUTES } as const;
  model.createQueue({ ...queue, name: DEAD, deadLetter: null, expireInSeconds: null });
  model.createQueue({ ...queue, name: QUEUE, deadLetter: DEAD, expireInSeconds: null });
  const enqueueing = { attempts: choices.pick([8, 3, 2]), backoffMs: choices.pick([0, 1000]) };
  const working = { batchSize: 1 + choices.below(3), pollingMs: 500 };
  let changes = 0;
  /** The key of a job, from its data. */
  const keyOf = remembering((data) => String(Reflect.get(Object(JSON.parse(data)), 'idempotencyKey')));
  const idOf = remembering(subject.pgBossJobId);

  function fateOf(key: string): JobFate {
    const jobs = model.jobs(QUEUE).filter(({ data }) => keyOf(data) === key);
    if (jobs.some(({ state }) => state !== 'completed' && state !== 'failed')) return 'kept';
    if (model.jobs(DEAD).some(({ data }) => keyOf(data) === key)) return 'dead';
    return jobs.length > 0 || model.archived(QUEUE, idOf(key)) ? 'done' : 'nothing';
  }

  const onStatement = () => {
    changes++;
  };

  /** The copy of a job that has to wait does not run at once. */
  function checkCopy(key: string, beganAt: number): void {
    for (const { data, createdOn, startAfter, state } of model.jobs(QUEUE)) {
      const isCopy = state === 'created' && createdOn - EPOCH_MS >= beganAt && keyOf(data) === key;
      if (isCopy && startAfter - createdOn < 100) world.fail('does not wait', `The copy of ${key} runs at once.`);
    }
  }

  function open({ process, oracle, die }: Replica, options: EventWorkerOptions) {
    const client = new PgBossClient(process, { server, model, connections: 3, onUnhandled: die, onStatement });
    const boss = client.boss();
    const worker = subject.pgBossWorker({ boss, ...options });
    const counted = async (jobs: readonly PgBossJobLike[]) => {
      const tries = jobs.map(({ id, data }) => {
        const key = String(Reflect.get(Object(data), 'idempotencyKey'));
        return { id, key, begun: oracle.beginTry(process, key), retryCount: model.job(QUEUE, id)?.retryCount };
      });
      let failure: Error | undefined;
      try {
        await worker(jobs);
      } catch (error) {
        failure = error as Error;
      }
      const isExcused = failure === undefined || /ECONNRESET|does not find the job/.test(failure.message);
      for (const { id, key, begun, retryCount } of tries) {
        // One reason stands for a whole batch.
        oracle.endTry(process, key, begun, isExcused || tries.length > 1 ? undefined : failure);
        if (begun.hasWaited) checkCopy(key, begun.beganAt);
        const job = model.job(QUEUE, id);
        const isOurs = job?.state === 'active' && job.retryCount === retryCount;
        if (!isExcused && isOurs && oracle.hasSucceeded(process, key, begun)) {
          world.fail('fails with its batch', `The handler of ${key} succeeded, and its job fails.`);
        }
      }
      if (failure) throw failure;
    };
    void client.work(QUEUE, counted, working);
    void client.supervise(1000);
    return subject.pgBossEnqueue({ boss, queue: QUEUE, handlerTimeoutMs: HANDLER_MS, ...enqueueing });
  }

  function isBuriedEarly(key: string): boolean {
    if (model.jobs(DEAD).some(({ data }) => Reflect.get(Object(JSON.parse(data)), 'issues') !== undefined)) return true;
    const failed = model.jobs(QUEUE).filter(({ data, state }) => state === 'failed' && keyOf(data) === key);
    return failed.some(({ retryCount }) => retryCount < enqueueing.attempts - 1);
  }

  return {
    ...{ open, fateOf, isBuriedEarly },
    get changes() {
      return changes;
    },
  };
}
