import { expect, it } from 'vitest';
import { expectAnswer, startApp } from './app.js';
import { RETRY_AFTER } from './cases/effects.js';
import { deferred, Log } from './cases/waiting.js';
import { framed, genuine, genuineOfSize, headersOf } from './deliveries.js';
import type { Target } from './targets.js';
import { head, Wire } from './wire.js';

/** A sender that leaves before its answer. For those that answer for effects. */
export function leftCases(target: Target): void {
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
