import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/index.js';
import { type BullmqJobInsert, bullmqEnqueue } from '../../../src/queues/bullmq/index.js';
import { context, entriesOf } from '../../contracts/enqueue-helpers.js';
import { event } from '../../helpers.js';

const weekSeconds = 7 * 86_400;

/** A queue that records its calls and, by default, reports every job as stored. */
function queueWith(defaultJobOptions: object = {}, idOf = (job: BullmqJobInsert): string => job.opts.jobId) {
  const calls: BullmqJobInsert[][] = [];
  return {
    calls,
    defaultJobOptions,
    async addBulk(jobs: BullmqJobInsert[]) {
      calls.push(jobs);
      return jobs.map((job) => ({ id: idOf(job) }));
    },
  };
}
const entries = (...keys: string[]) => entriesOf(keys.map((key) => event(key)));

describe('bullmqEnqueue', () => {
  it('adds all events in one call, as jobs that are retried, remembered, and kept when they fail', async () => {
    const queue = queueWith();
    const given = entries('a1', 'b:1');
    await bullmqEnqueue({ queue })(given, context);
    const opts = {
      attempts: 15,
      backoff: { type: 'exponential', delay: 1000 },
      removeOnComplete: { age: weekSeconds },
      removeOnFail: false,
    };
    expect(queue.calls).toEqual([
      [
        {
          name: 'event.emitted',
          data: { ...given[0], timestamp: '1700000000' },
          opts: { ...opts, jobId: 'a1' },
        },
        {
          name: 'event.emitted',
          data: { ...given[1], timestamp: '1700000000' },
          opts: { ...opts, jobId: expect.stringMatching(/^sha256-/) },
        },
      ],
    ]);
  });

  it('does not call the queue without events', async () => {
    const queue = queueWith();
    await bullmqEnqueue({ queue })([], context);
    expect(queue.calls).toEqual([]);
  });

  it('rejects if the engine kept another job in place of one', async () => {
    const queue = queueWith({}, ({ opts }) => (opts.jobId === 'b1' ? 'other' : opts.jobId));
    await expect(bullmqEnqueue({ queue })(entries('a1', 'b1'), context)).rejects.toThrow('1 of 2');
  });

  it.each([
    { deduplication: { id: 'x' } },
    { jobId: 'x' },
    { parent: { id: 'x', queue: 'y' } },
    { removeOnComplete: true },
    { removeOnComplete: { count: 100 } },
    { removeOnComplete: { age: weekSeconds - 1 } },
    { removeOnFail: true },
    { removeOnFail: { age: 10 * weekSeconds } },
  ])('refuses a queue whose default options drop or forget events, and says what to change (%o)', (defaults) => {
    const [name = ''] = Object.keys(defaults);
    const create = () => bullmqEnqueue({ queue: queueWith(defaults) });
    expect(create).toThrow(ConfigError);
    expect(create).toThrow(new RegExp(`^.queue\\.defaultJobOptions\\.${name}. .*[Rr]emove`));
  });

  it.each([
    [{}, { age: weekSeconds }],
    [{ removeOnComplete: false }, false],
    [{ removeOnComplete: { age: 2 * weekSeconds } }, { age: 2 * weekSeconds }],
    [{ removeOnFail: false, priority: 3, lifo: true, attempts: 3 }, { age: weekSeconds }],
  ])('remembers events as long as the queue does, but at least for retentionMs (%o)', async (defaults, kept) => {
    const queue = queueWith(defaults);
    await bullmqEnqueue({ queue })(entries('a1'), context);
    expect(queue.calls[0]?.[0]?.opts.removeOnComplete).toEqual(kept);
  });

  it('refuses wrong options, and names the option, the type it got and what it takes', () => {
    const queue = queueWith();
    const create = (options: unknown) => () => Reflect.apply(bullmqEnqueue, undefined, [options]);
    const refusal = (message: string) => expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message });
    expect(create(queue)).toThrow(
      refusal('`bullmqEnqueue` takes an options object: call bullmqEnqueue({ queue, … }).'),
    );
    expect(create(undefined)).toThrow(refusal('`bullmqEnqueue` takes an options object, got undefined.'));
    expect(create({})).toThrow(refusal('`queue` must be a Queue of BullMQ, got undefined.'));
    expect(create({ queue: 'events' })).toThrow(refusal('`queue` must be a Queue of BullMQ, got a string.'));
    expect(create({ queue, retries: 3 })).toThrow(/has no option `retries`/);
  });
});
