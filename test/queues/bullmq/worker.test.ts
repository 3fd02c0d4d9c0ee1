import { RATE_LIMIT_ERROR, UnrecoverableError, Worker } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError, isWebhookError } from '../../../src/index.js';
import { bullmqWorker, bullmqWorkerOptions } from '../../../src/queues/bullmq/index.js';
import { event } from '../../helpers.js';

describe('bullmqWorker', () => {
  const data = { event: event('a1'), idempotencyKey: 'a1', timestamp: '1700000000' };

  it('lets the engine retry after a failure of the handler or the store, whatever the name of the error', async () => {
    const delayed = Object.assign(new Error('later'), { name: 'DelayedError' });
    const failures = [
      bullmqWorker({ onEvent: () => Promise.reject(delayed) }),
      bullmqWorker({ onEvent: () => {}, store: failing }),
    ];
    for (const processor of failures) {
      const error = await processor({ data }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'Error' });
      expect(isWebhookError(Object(error).cause)).toBe(true);
    }
  });

  it('lets the engine retry a key that is in progress elsewhere', async () => {
    const processor = bullmqWorker({
      onEvent: () => {},
      store: { once: async (keys) => new Map([[`${keys}`, 'in-progress']]) },
    });
    await expect(processor({ data })).rejects.toMatchObject({ cause: { code: 'ERR_WEBHOOK_IN_PROGRESS' } });
  });

  it('fails a job whose key has an unknown outcome', async () => {
    const onEvent = vi.fn();
    const processor = bullmqWorker({ onEvent, store: { once: async (keys) => new Map([[`${keys}`, 'unknown']]) } });
    await expect(processor({ data })).rejects.toMatchObject({ cause: { code: 'ERR_WEBHOOK_OUTCOME_UNKNOWN' } });
    expect(onEvent).not.toHaveBeenCalled();
  });

  it('fails a job and aborts its signal after handlerTimeoutMs', async () => {
    const reasons: unknown[] = [];
    const processor = bullmqWorker({
      onEvent: (_, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason))),
      handlerTimeoutMs: 50,
    });
    await expect(processor({ data })).rejects.toMatchObject({ cause: { code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' } });
    expect(reasons).toMatchObject([{ code: 'ERR_WEBHOOK_HANDLER_TIMEOUT' }]);
  });

  it('makes the engine give up on an UnrecoverableError and on data that is not an event job', async () => {
    const unrecoverable = Object.assign(new Error('never'), { name: 'UnrecoverableError' });
    const processor = bullmqWorker({ onEvent: () => Promise.reject(unrecoverable) });
    await expect(processor({ data })).rejects.toMatchObject({ name: 'UnrecoverableError' });
    await expect(processor({ data: undefined })).rejects.toMatchObject({ name: 'UnrecoverableError' });
  });

  it("passes on BullMQ's own control errors", async () => {
    class Fatal extends UnrecoverableError {}
    const processor = (thrown: Error) => bullmqWorker({ onEvent: () => Promise.reject(thrown) })({ data });
    await expect(processor(new Fatal('never'))).rejects.toMatchObject({ name: 'UnrecoverableError' });
    await expect(processor(Worker.RateLimitError())).rejects.toMatchObject({ message: RATE_LIMIT_ERROR });
  });

  it.each([
    { skipStalledCheck: true },
    { skipLockRenewal: true, lockDuration: 60_000 },
    { lockRenewTime: 30_000 },
    { lockRenewTime: 40_000, lockDuration: 30_000 },
  ])('refuses to run with worker options that lose or repeat events, and names the option (%o)', async (given) => {
    let runs = 0;
    const queue = { opts: { ...bullmqWorkerOptions, lockRenewTime: 15_000, ...given } };
    const processor = bullmqWorker({ onEvent: () => void runs++ });
    for (let tries = 0; tries < 2; tries++) {
      const error = await processor(Object.assign({ data }, { queue })).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect(error).toMatchObject({
        message: expect.stringContaining(`Option \`${Object.keys(given)[0]}\` of the BullMQ`),
      });
    }
    expect(runs).toBe(0);
  });

  it.each([
    [bullmqWorkerOptions, 0],
    [{ ...bullmqWorkerOptions, skipLockRenewal: true, lockDuration: 60_001 }, 0],
    [{ ...bullmqWorkerOptions, maxStalledCount: 10 }, 0],
    [{ ...bullmqWorkerOptions, maxStalledCount: 9 }, 1],
    [{ ...bullmqWorkerOptions, maxStartedAttempts: 3 }, 1],
    [undefined, 0],
    ['odd', 0],
  ])('warns once about a worker that gives up after few deaths (%o: %i)', async (opts, warnings) => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => emit.mockRestore());
    let runs = 0;
    const processor = bullmqWorker({ onEvent: () => void runs++ });
    for (const queue of [{ opts }, { opts }, undefined]) await processor(Object.assign({ data }, { queue }));
    expect(runs).toBe(3);
    expect(emit).toHaveBeenCalledTimes(warnings);
  });

  const failing = { once: () => Promise.reject(new Error('the store is down')) };
});
