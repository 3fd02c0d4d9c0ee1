import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { event } from '../../../test/helpers.js';
import type { HeldQueue, LocalServiceOptions } from '../../src/service/index.js';
import { scratch } from '../cli/tool.js';
import { listening } from './receivers.js';
import { serving } from './service.js';

const HOUR_MS = 3_600_000;
const slow = { attempts: 3, initialDelayMs: HOUR_MS, maxDelayMs: HOUR_MS };

/** A service whose receiver answers as told, and every state of its queues that was reported. */
async function held(options: LocalServiceOptions = {}) {
  const seen: (readonly HeldQueue[])[] = [];
  const served = await serving({
    retries: slow,
    ...options,
    onChange: () => seen.push(served.service.queues()),
  });
  const holder = { status: 500, onRequest: () => {} };
  const { url } = await listening((_request, response) => {
    holder.onRequest();
    if (holder.status > 0) response.writeHead(holder.status).end();
  });
  const { id } = served.service.register({ label: 'shop', url });
  return { ...served, seen, holder, webhookId: id };
}

const failed = ({ nextAttemptAt }: { nextAttemptAt?: number | undefined }) => nextAttemptAt !== undefined;

describe('queues', () => {
  it('tell how many deliveries wait behind the one that is retried, since when and until when', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(1);
    onTestFinished(() => random.mockRestore());
    let time = 1_700_000_000_000;
    const { service, changed, seen } = await held({ now: () => time });
    expect(service.queues()).toEqual([]);
    service.emit([event('a')]);
    await changed(failed);
    time += 5000;
    service.emit([event('b')]);
    service.emit([event('c')]);
    const queue = {
      ...{ webhookId: 1, label: 'shop', behind: '1', waiting: 2 },
      ...{ since: 1_700_000_000_000, nextAttemptAt: 1_700_000_000_000 + HOUR_MS },
    };
    expect(service.queues()).toEqual([queue]);
    expect(new Set(seen.flat().map(({ waiting }) => waiting))).toEqual(new Set([0, 1, 2]));
  });

  it('are still held back after a restart', async () => {
    const file = await (await scratch())('service');
    const first = await held({ file });
    first.service.emit([event('a')]);
    await first.changed(failed);
    const before = first.service.queues();
    await first.service.close();
    const second = await serving({ file, retries: slow });
    expect(second.service.queues()).toEqual(before);
    expect(before).toHaveLength(1);
  });
});

describe('retry', () => {
  it('sends the delivery that holds back a queue now, and the others after it', async () => {
    const { service, changed, holder, seen } = await held();
    service.emit([event('a')]);
    await changed(failed);
    for (const id of ['b', 'c']) service.emit([event(id)]);
    expect([service.retry(2), service.retry(1)]).toEqual([undefined, '1']);
    holder.status = 200;
    await service.idle();
    expect([service.queues(), seen.at(-1)]).toEqual([[], []]);
    expect(service.retry(1)).toBeUndefined();
  });

  it('renews the number of retries, so that no impatience gives a delivery up', async () => {
    const { service, changes, changed } = await held();
    service.emit([event('a')]);
    for (let tries = 1; tries <= 6; tries++) {
      await changed((delivery) => failed(delivery) && delivery.attempts.length === tries);
      expect(service.queues()).toMatchObject([{ behind: '1' }]);
      service.retry(1);
    }
    await changed((delivery) => failed(delivery) && delivery.attempts.length === 7);
    expect(changes.some(({ state }) => state === 'given-up')).toBe(false);
  });

  it('does not send twice what is in flight, which the queue shows', async () => {
    const { service, changed, holder } = await held();
    service.emit([event('a')]);
    await changed(failed);
    holder.status = 0;
    let requests = 0;
    const asked = new Promise<void>((resolve) => {
      holder.onRequest = () => {
        requests++;
        resolve();
      };
    });
    service.retry(1);
    await asked;
    expect(service.queues()).toMatchObject([{ behind: '1', nextAttemptAt: undefined }]);
    expect([service.retry(1), service.retry(1)]).toEqual(['1', '1']);
    await service.close();
    expect(requests).toBe(1);
  });
});
