import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, InvalidEventError } from '../../src/index.js';
import {
  bullmqJobId,
  createRunJob,
  engineError,
  jobsOf,
  pgBossJobId,
  readJob,
  resolveEnqueueOptions,
  storableJob,
} from '../../src/queues/job.js';
import { hostileKeys } from '../contracts/store-helpers.js';
import { hostileValues } from '../fixtures/hostile.js';
import { event } from '../helpers.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the ids of jobs', () => {
  it('are the key itself where it is a UUID', () => {
    const key = '66f0a5c6-1f0b-4c7e-9d3c-2d6f0a6b7c11';
    expect([bullmqJobId(key), pgBossJobId(key)]).toEqual([key, key]);
  });

  it.each([
    '0',
    '42',
    '-5',
    '007',
    '1e5',
    'Infinity',
    '',
    ':',
    'a:1',
    'a:b:1',
    '0:1',
    'meta',
    'waiting-children',
    'id',
  ])('are none that BullMQ refuses or has a meaning for (%j)', (key) => {
    expect(bullmqJobId(key)).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it('are what both engines take, and another for another key', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    const codes = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }), { maxLength: 3 });
    const key = fc.oneof(
      text,
      fc.uuid(),
      codes.map((each) => String.fromCharCode(...each)),
      fc.constantFrom(...hostileKeys),
    );
    fc.assert(
      fc.property(key, key, (one, other) => {
        // What was made of another key is a key too.
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
  });

  it('hash a UUID of version 5 for pg-boss, as it could be the hash of another key', () => {
    const hash = pgBossJobId('key');
    expect(hash).toMatch(uuid);
    expect(hash.charAt(14)).toBe('5');
    expect(pgBossJobId(hash)).not.toBe(hash);
  });
});

describe('the data of a job', () => {
  const job = { event: event('id'), idempotencyKey: 'key', timestamp: '1700000000' };

  it('is as it was, and text only where Postgres would refuse it', () => {
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

  it('that is wrong is refused with every issue and where it is', () => {
    const wrong = { event: { ...event('x'), id: 7 }, idempotencyKey: 1 };
    const issues = [['idempotencyKey'], ['timestamp'], ['event', 'id']].map((path) => ({
      path,
      message: expect.any(String),
    }));
    const thrown = caught(() => readJob(wrong));
    expect(thrown).toBeInstanceOf(InvalidEventError);
    expect(thrown).toMatchObject({ issues });
  });

  it('of a kind of event that is not known is refused', () => {
    expect(caught(() => readJob({ ...job, event: { id: 'x', event: 'event.other' } }))).toMatchObject({
      issues: [{ path: ['event', 'event'] }],
    });
  });

  it('that is text but no JSON is refused', () => {
    expect(caught(() => readJob({ json: '{' }))).toMatchObject({ issues: [{ path: ['json'] }] });
  });

  it('names the source of its delivery, if that has one', async () => {
    const context = { idempotencyKeys: ['tenant:x'], timestamp: '1700000000', source: 'tenant' };
    const [stored] = jobsOf([event('x')], context);
    expect(jobsOf([event('x')], { ...context, source: undefined })[0]).not.toHaveProperty('source');
    const sources: unknown[] = [];
    const run = createRunJob((_, { source }) => sources.push(source), {});
    await run(readJob(JSON.parse(JSON.stringify(stored))));
    await run(readJob({ ...stored, source: undefined }));
    expect(sources).toEqual(['tenant', undefined]);
    expect(caught(() => readJob({ ...stored, source: 7 }))).toMatchObject({ issues: [{ path: ['source'] }] });
  });
});

describe('the error for an engine', () => {
  it('says what failed and why, in text that every database takes', () => {
    const error = engineError(new Error('outer', { cause: new Error('in\0ner \ud800') }));
    expect(error.message).toBe('outer Cause: in\ufffdner \ufffd');
    expect(error.stack).toContain('in\ufffdner \ufffd');
    expect(error.cause).toBeUndefined();
  });

  it('is of bounded length', () => {
    expect(engineError(new Error('x'.repeat(1e6))).message).toHaveLength(10_000);
  });

  it.each(hostileValues)('is an error for %s too', (_, value) => {
    expect(engineError(value)).toBeInstanceOf(Error);
    expect(engineError(new Error('outer', { cause: value }))).toBeInstanceOf(Error);
  });
});

describe('the options', () => {
  it.each([
    { attempts: 0 },
    { attempts: 1.5 },
    { attempts: Number.NaN },
    { backoffMs: -1 },
    { backoffMs: Number.POSITIVE_INFINITY },
    { retentionMs: 0 },
    { attempts: 40, backoffMs: 1000 },
  ])('of a enqueue are refused where they make no sense (%o)', (options) => {
    expect(() => resolveEnqueueOptions(options)).toThrow(ConfigError);
  });

  it('of a worker are refused where they make no sense', () => {
    const store = { once: 'no function' };
    expect(() => Reflect.apply(createRunJob, undefined, [undefined, {}])).toThrow(ConfigError);
    expect(() => Reflect.apply(createRunJob, undefined, [() => {}, { store }])).toThrow(ConfigError);
    expect(() => createRunJob(() => {}, { handlerTimeoutMs: 0 })).toThrow(ConfigError);
  });
});

function caught(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
