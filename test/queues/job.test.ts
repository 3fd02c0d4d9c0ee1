import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finality } from '../../src/handle/before.js';
import { ConfigError, InvalidEventError, memoryStore } from '../../src/index.js';
import { bullmqJobId } from '../../src/queues/bullmq/enqueue.js';
import { engineError } from '../../src/queues/engine-error.js';
import { jobOf, readJob, storableJob } from '../../src/queues/job.js';
import { resolveEnqueueOptions } from '../../src/queues/options.js';
import { pgBossJobId } from '../../src/queues/pg-boss/job-id.js';
import { createRunJob } from '../../src/queues/run-job.js';
import { HOSTILE_KEYS } from '../contracts/store-helpers.js';
import { hostileValues } from '../fixtures/hostile.js';
import { event } from '../helpers.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the ids of jobs', () => {
  it('are the key itself if it is a UUID', () => {
    const key = '66f0a5c6-1f0b-4c7e-9d3c-2d6f0a6b7c11';
    expect([bullmqJobId(key), pgBossJobId(key)]).toEqual([key, key]);
  });

  it.each(['0', '-5', '1e5', '', ':', 'a:b:1', 'meta'])(
    'are hashes for keys that BullMQ rejects or uses itself (%j)',
    (key) => {
      expect(bullmqJobId(key)).toMatch(/^sha256-[0-9a-f]{64}$/);
    },
  );

  it('are valid for both engines, and different for different keys', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    const codes = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 3 });
    const key = fc.oneof(
      text,
      fc.uuid(),
      codes.map((each) => String.fromCharCode(...each)),
      fc.constantFrom(...HOSTILE_KEYS),
    );
    fc.assert(
      fc.property(key, key, (one, other) => {
        // The id of another key can be a key too.
        const keys = [one, other, bullmqJobId(one), pgBossJobId(other)];
        const different = new Set(keys).size;
        expect(new Set(keys.map(bullmqJobId)).size).toBe(different);
        expect(new Set(keys.map(pgBossJobId)).size).toBe(different);
        for (const each of keys) {
          expect(bullmqJobId(each)).toMatch(/^(?=.*\d)[\w.@+-]{1,200}$/);
          expect(pgBossJobId(each)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        }
      }),
      { seed: 3, numRuns: 2000 },
    );
  }, 30_000);

  it('hash version 5 UUIDs for pg-boss, because one could be the hash of another key', () => {
    const hash = pgBossJobId('key');
    expect(hash).toMatch(uuid);
    expect(hash.charAt(14)).toBe('5');
    expect(pgBossJobId(hash)).not.toBe(hash);
  });
});

describe('the data of a job', () => {
  const job = { event: event('id'), idempotencyKey: 'key', timestamp: '1700000000' };

  /** An error about one path. */
  const refusal = (path: string[]) => expect.objectContaining({ issues: [expect.objectContaining({ path })] });

  it('is the job itself, and JSON text only if Postgres would reject it', () => {
    expect(storableJob(job)).toBe(job);
    for (const idempotencyKey of ['\0', '\ud800', 'a\udfffb']) {
      const stored = storableJob({ ...job, idempotencyKey });
      expect(Object.keys(stored)).toEqual(['json']);
      expect(readJob(JSON.parse(JSON.stringify(stored)))).toEqual({ ...job, idempotencyKey });
    }
  });

  it.each(hostileValues)('is not %s', (_, value) => {
    const read = () => readJob(value);
    expect(read).toThrow();
  });

  it('is refused with every issue and its path', () => {
    const wrong = { event: { ...event('x'), id: 7 }, idempotencyKey: 1 };
    const issues = [['idempotencyKey'], ['timestamp'], ['event', 'id']].map((path) => ({
      path,
      message: expect.any(String),
    }));
    expect(() => readJob(wrong)).toThrow(InvalidEventError);
    expect(() => readJob(wrong)).toThrow(expect.objectContaining({ issues }));
  });

  it('is refused if its text is not JSON', () => {
    expect(() => readJob({ json: '{' })).toThrow(refusal(['json']));
  });

  it('tells the handler how its event came, if the receiver knew', async () => {
    const entry = { event: event('x'), idempotencyKey: 'x' };
    const stored = jobOf(entry, { timestamp: '1700000000', via: 'webhook' });
    expect(jobOf(entry, { timestamp: '1700000000' })).not.toHaveProperty('via');
    const seen: unknown[] = [];
    const { runJob } = createRunJob({ onEvent: (_, { via }) => seen.push(via) });
    for (const via of [stored.via, undefined, 7]) await runJob(readJob({ ...stored, via }));
    expect(seen).toEqual(['webhook', undefined, undefined]);
  });

  it('contains the source of its delivery, if there is one', async () => {
    const entry = { event: event('x'), idempotencyKey: 'tenant::x' };
    const stored = jobOf(entry, { timestamp: '1700000000', source: 'tenant' });
    expect(jobOf(entry, { timestamp: '1700000000', source: undefined })).not.toHaveProperty('source');
    const sources: unknown[] = [];
    const { runJob } = createRunJob({ onEvent: (_, { source }) => sources.push(source) });
    await runJob(readJob(JSON.parse(JSON.stringify(stored))));
    await runJob(readJob({ ...stored, source: undefined }));
    expect(sources).toEqual(['tenant', undefined]);
    expect(() => readJob({ ...stored, source: 7 })).toThrow(refusal(['source']));
  });

  it('is refused by a worker without finality if its receiver has finality, however it was stored', async () => {
    const stored = jobOf(
      { event: event('x\0'), idempotencyKey: 'k' },
      { timestamp: '1700000000', needsFinality: true },
    );
    const handled: string[] = [];
    const onEvent = ({ id }: { id: string }) => handled.push(id);
    const finality: Finality = { before: () => Promise.resolve(new Map()) };
    for (const data of [stored, storableJob(stored), { ...stored, needsFinality: 'yes' }]) {
      const job = readJob(JSON.parse(JSON.stringify(data)));
      const { runJob } = createRunJob({ onEvent });
      await expect(runJob(job)).rejects.toThrow(/receiver of the job has `finality`.*Give the worker the same/);
      expect(handled.splice(0)).toEqual([]);
      await createRunJob({ onEvent, finality, store: memoryStore() }).runJob(job);
      expect(handled.splice(0)).toEqual(['x\0']);
    }
  });
});

describe('the error for an engine', () => {
  it('names the failure and its cause, in text that every database stores', () => {
    const error = engineError(new Error('outer', { cause: new Error('in\0ner \ud800') }));
    expect(error.message).toBe('outer Cause: in\ufffdner \ufffd');
    expect(error.stack).toContain('in\ufffdner \ufffd');
    expect(error.cause).toBeUndefined();
  });

  it('has a bounded length', () => {
    expect(engineError(new Error('x'.repeat(1e6))).message).toHaveLength(10_000);
  });

  it.each(hostileValues)('is an Error for %s too', (_, value) => {
    expect(engineError(value)).toBeInstanceOf(Error);
    expect(engineError(new Error('outer', { cause: value }))).toBeInstanceOf(Error);
  });
});

it.each([{ attempts: 0 }, { attempts: 1.5 }, { backoffMs: -1 }, { retentionMs: 0 }, { attempts: 40, backoffMs: 1000 }])(
  'resolveEnqueueOptions refuses %o',
  (options) => {
    expect(() => resolveEnqueueOptions(options)).toThrow(ConfigError);
  },
);
