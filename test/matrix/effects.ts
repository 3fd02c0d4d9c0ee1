import { describe, expect, it } from 'vitest';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { expectAnswer, startApp } from './app.js';
import { FAILURES, RETRY_AFTER } from './cases/effects.js';
import { deferred, Log } from './cases/waiting.js';
import { framed, genuine, genuineOfSize, headersOf } from './deliveries.js';
import type { Target } from './targets.js';
import { head, Wire } from './wire.js';

/** What becomes of the events of genuine deliveries, and what is answered for it. */
export function effectCases(target: Target): void {
  describe('effects', () => {
    it.each(FAILURES)(
      'answers 500 when the handler %s, and on redelivery runs only what is unfinished',
      async (_how, fail) => {
        const [first, second, third] = [sampleEventEmitted(), sampleEventEmitted(), sampleEventEmitted()];
        let broken = true;
        const app = await startApp(target, { onEvent: ({ id }) => (broken && id === second.id ? fail() : undefined) });
        const delivery = genuine(first, second, third);
        expect((await app.post(delivery)).status).toBe(500);
        expect(app.seen.entries).toEqual([first.id, second.id, third.id]);
        broken = false;
        expect((await app.post(delivery)).status).toBe(200);
        expect(app.seen.entries).toEqual([first.id, second.id, third.id, second.id]);
        expect(app.errors.entries).toEqual(['ERR_WEBHOOK_HANDLER']);
      },
    );

    it('answers 500 when the handler hangs, and aborts its signal', async () => {
      const [aborted, released] = [deferred(), deferred()];
      const app = await startApp(target, {
        handlerTimeoutMs: 200,
        onEvent: (_event, { signal }) => {
          signal.addEventListener('abort', aborted.resolve);
          return released.promise;
        },
      });
      expect((await app.post(genuine())).status).toBe(500);
      await aborted.promise;
      released.resolve();
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_HANDLER_TIMEOUT']);
    });

    it('handles a delivery that is sent again once, and answers 200 both times', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      expect((await app.post(delivery)).status).toBe(200);
      expect((await app.post(delivery)).status).toBe(200);
      expect(app.seen.entries).toHaveLength(1);
    });

    it('handles a delivery that is sent twice at the same instant once', async () => {
      const finished = deferred();
      const app = await startApp(target, { onEvent: () => finished.promise });
      const delivery = genuine();
      const answers = [app.post(delivery), app.post(delivery)];
      await app.requests.reaches(2);
      await app.seen.reaches(1);
      finished.resolve();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      expect(app.seen.entries).toHaveLength(1);
    });

    it('handles an event that is twice in one delivery once', async () => {
      const app = await startApp(target, { concurrency: 8 });
      const event = sampleEventEmitted();
      expect((await app.post(genuine(event, event))).status).toBe(200);
      expect(app.seen.entries).toEqual([event.id]);
    });

    it('finishes an event whose sender has gone, and takes the redelivery for a duplicate', async () => {
      const finished = deferred();
      const ended = new Log<string>();
      const app = await startApp(target, {
        onEvent: async ({ id }) => {
          await finished.promise;
          ended.add(id);
        },
      });
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(framed(delivery));
      await app.seen.reaches(1);
      wire.cut();
      await wire.closed();
      finished.resolve();
      await ended.reaches(1);
      expect((await app.post(delivery)).status).toBe(200);
      expect(app.seen.entries).toHaveLength(1);
    });
  });

  describe('load', () => {
    it('answers 503 with Retry-After beyond maxInFlight, and takes it afterwards', async () => {
      const finished = deferred();
      const app = await startApp(target, { maxInFlight: 1, onEvent: () => finished.promise });
      const [first, second] = [genuine(), genuine()];
      const answer = app.post(first);
      await app.seen.reaches(1);
      const refused = await app.post(second);
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(RETRY_AFTER);
      finished.resolve();
      expect((await answer).status).toBe(200);
      expect((await app.post(second)).status).toBe(200);
      expect(app.errors.entries.every((code) => code === 'ERR_WEBHOOK_OVERLOADED')).toBe(true);
    });

    it('lets what is under way finish while draining, and answers 503 with Retry-After to the rest', async () => {
      const finished = deferred();
      const app = await startApp(target, { onEvent: () => finished.promise });
      const answer = app.post(genuine());
      await app.seen.reaches(1);
      const drained = app.receiver.drain();
      const refused = await app.post(genuine());
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(RETRY_AFTER);
      finished.resolve();
      expect((await answer).status).toBe(200);
      await drained;
      expect(app.seen.entries).toHaveLength(1);
    });
  });
}

/** A sender that is not done yet must not stand in the way of those who are. For those that count what is in flight. */
export function placeCases(target: Target): void {
  /** A genuine sender that has sent its headers, and has yet to send its body. */
  async function startSlow(port: number) {
    const delivery = genuine();
    const wire = await Wire.open(port);
    await wire.send(head([...headersOf(delivery), ['Content-Length', String(delivery.body.length)]]));
    return { wire, delivery };
  }

  it('takes a verified delivery while another is still arriving, and then that one', async () => {
    const app = await startApp(target, { maxInFlight: 1 });
    const { wire, delivery } = await startSlow(app.port);
    await app.requests.reaches(1);
    expect((await app.post(genuine())).status).toBe(200);
    await wire.send(delivery.body);
    expect(expectAnswer(await wire.answer()).status).toBe(200);
    expect(app.errors.entries).toEqual([]);
    wire.end();
  });

  it('drops the delivery that has been arriving longest when there are too many, and answers it 503', async () => {
    const app = await startApp(target, { maxArriving: 1 });
    const { wire } = await startSlow(app.port);
    await app.requests.reaches(1);
    expect((await app.post(genuine())).status).toBe(200);
    const refused = expectAnswer(await wire.answer());
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(RETRY_AFTER);
    await wire.closed();
    expect(app.errors.entries).toEqual(['ERR_WEBHOOK_OVERLOADED']);
  });

  it('drops the delivery that has been arriving longest when there are too many bytes, and answers it 503', async () => {
    const app = await startApp(target, { maxBodyBytes: 100_000, maxArrivingBytes: 100_000 });
    const { wire } = await startSlow(app.port);
    await app.requests.reaches(1);
    await wire.send(Buffer.from('['));
    expect((await app.post(genuineOfSize(90_000))).status).toBe(200);
    await wire.send(Buffer.from(' '.repeat(1000)));
    expect((await app.post(genuineOfSize(98_500))).status).toBe(200);
    expect(expectAnswer(await wire.answer()).status).toBe(503);
    expect(app.errors.entries).toEqual(['ERR_WEBHOOK_OVERLOADED']);
  });
}
