import type { Defect } from './defect.js';

const enqueue = 'src/queues/bullmq/enqueue.ts';
const bullmqWorker = 'src/queues/bullmq/worker.ts';
const pgBossWorker = 'src/queues/pg-boss/worker.ts';
const jobs = 'src/queues/pg-boss/jobs.ts';
const runJob = 'src/queues/run-job.ts';
const again = 'src/queues/pg-boss/send-again.ts';

/** Mutations of the enqueue functions and of the workers of both engines. */
export const queueDefects: readonly Defect[] = [
  {
    name: 'a BullMQ delivery is not awaited',
    about: 'The enqueue resolves before BullMQ has stored the events.',
    patches: [
      {
        file: enqueue,
        find: 'const added = await queue.addBulk(jobs);',
        replace: 'queue.addBulk(jobs).catch(() => {}); const added = jobs.map(({ opts }) => ({ id: opts.jobId }));',
      },
    ],
    worlds: ['bullmq'],
    foundWithin: 20,
  },
  {
    name: 'a BullMQ delay without its lock',
    about: 'The worker delays a job without the token of its lock.',
    patches: [{ file: bullmqWorker, find: 'delay.delayMs, token);', replace: 'delay.delayMs);' }],
    worlds: ['bullmq'],
    foundWithin: 70,
  },
  {
    name: 'every BullMQ failure is unrecoverable',
    about: 'A job becomes a dead letter at its first failure.',
    patches: [{ file: bullmqWorker, find: 'if (isUnrecoverable(cause))', replace: 'if (failure)' }],
    worlds: ['bullmq'],
    foundWithin: 20,
  },
  {
    name: 'a late handler does not hold its key',
    about: 'A worker without a store runs a key again although its handler still runs.',
    patches: [
      {
        file: runJob,
        find: "if (before !== undefined && before() < holdMs) return 'in-progress';",
        replace: '',
      },
    ],
    worlds: ['bullmq', 'pg-boss'],
    foundWithin: 200,
  },
  {
    name: 'a failed drop is forgotten',
    about: 'The job of a dropped event completes although `onDropped` has failed.',
    patches: [{ file: runJob, find: 'if (kept?.error) throw kept.error;', replace: '' }],
    worlds: ['bullmq', 'pg-boss'],
    foundWithin: 500,
  },
  {
    name: 'a pg-boss batch fails as one',
    about: 'The jobs of a batch are not completed one by one.',
    patches: [{ file: pgBossWorker, find: 'if (!isAlone) await boss.complete(job.name, job.id);', replace: '' }],
    worlds: ['pg-boss'],
    foundWithin: 300,
  },
  {
    name: 'a pg-boss batch ends at its first failure',
    about: 'The worker rejects while other jobs of the batch still run.',
    patches: [
      {
        file: pgBossWorker,
        find: 'const settled = await Promise.allSettled(jobs.map((job) => settle(job, jobs.length === 1)));',
        replace:
          'await Promise.all(jobs.map((job) => settle(job, jobs.length === 1))); const settled: PromiseSettledResult<void>[] = [];',
      },
    ],
    worlds: ['pg-boss'],
    foundWithin: 300,
  },
  {
    name: 'a pg-boss job completes before its copy',
    about: 'The job of an event that waits completes before its copy is stored.',
    patches: [
      {
        file: pgBossWorker,
        find: 'if (delay) await sendAgain(job, delay.delayMs);',
        replace: 'if (delay) { await boss.complete(job.name, job.id); await sendAgain(job, delay.delayMs); }',
      },
    ],
    worlds: ['pg-boss'],
    foundWithin: 80,
  },
  {
    name: 'a pg-boss copy runs at once',
    about: 'The copy of a job that waits is not delayed.',
    patches: [{ file: again, find: 'startAfter: String(delayMs / 1000),', replace: '' }],
    worlds: ['pg-boss'],
    foundWithin: 300,
  },
  {
    name: 'a pg-boss copy has no retries',
    about: 'The copy of a job that waits becomes a dead letter at its first failure.',
    patches: [{ file: again, find: '...(await retriesOf(job)),', replace: 'retryLimit: 0,' }],
    worlds: ['pg-boss'],
    foundWithin: 500,
  },
  {
    name: 'the pg-boss archive is not read',
    about: 'On pg-boss 10, an event whose job is archived is stored again.',
    patches: [{ file: jobs, find: '{ includeArchive: true }', replace: '{ includeArchive: false }' }],
    worlds: ['pg-boss'],
    foundWithin: 2_000,
  },
  {
    name: 'a failed check of the pg-boss queue stays',
    about: 'A receiver whose first look at its queue failed refuses every delivery.',
    patches: [{ file: 'src/queues/pg-boss/enqueue.ts', find: 'times = undefined;', replace: '' }],
    worlds: ['pg-boss'],
    foundWithin: 5_000,
  },
  {
    name: 'a BullMQ delay is a failure',
    about: 'The job of an event that waits fails with an error that BullMQ does not know.',
    patches: [{ file: 'src/queues/bullmq/worker.ts', find: '{ name: DELAYED }', replace: "{ name: 'Error' }" }],
    worlds: ['bullmq'],
    foundWithin: 100,
  },
];
