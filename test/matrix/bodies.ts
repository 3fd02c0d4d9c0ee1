import { describe, expect, it } from 'vitest';
import { expectAnswer, startApp } from './app.js';
import { framed, genuine, genuineOfSize, headersOf, sign } from './deliveries.js';
import type { Target } from './targets.js';
import { chunked, head, piecesOf, Wire } from './wire.js';

const CHUNKED = ['Transfer-Encoding', 'chunked'] as const;
const MIB = 1024 * 1024;

const length = (bytes: number) => ['Content-Length', String(bytes)] as const;

/** The ways in which a body comes, or does not. */
export function bodyCases(target: Target): void {
  describe('body', () => {
    it('refuses a missing body, even with a signature for nothing', async () => {
      const app = await startApp(target);
      expect((await app.exchange(head(headersOf(genuine())))).status).toBe(403);
      expect((await app.exchange(head(headersOf(sign(''))))).status).toBe(403);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_SIGNATURE', 'ERR_WEBHOOK_SIGNATURE']);
    });

    it('refuses an empty body, with a length and in chunks', async () => {
      const app = await startApp(target);
      const headers = headersOf(sign(''));
      expect((await app.exchange(head([...headers, length(0)]))).status).toBe(403);
      expect((await app.exchange(head([...headers, CHUNKED]), chunked([]))).status).toBe(403);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_SIGNATURE', 'ERR_WEBHOOK_SIGNATURE']);
    });

    it('takes a body in chunks', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      const body = chunked(piecesOf(delivery.body, 100));
      expect((await app.exchange(head([...headersOf(delivery), CHUNKED]), body)).status).toBe(200);
      expect(app.seen.entries).toHaveLength(1);
    });

    it('takes a body that comes slowly in many pieces', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(head([...headersOf(delivery), length(delivery.body.length)]));
      await app.requests.reaches(1);
      for (const piece of piecesOf(delivery.body, 50)) {
        await wire.send(piece);
        await new Promise(setImmediate);
      }
      expect(expectAnswer(await wire.answer()).status).toBe(200);
      expect(app.seen.entries).toHaveLength(1);
    });

    it('takes a body from a sender that first asks whether to send it', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      const headers = [...headersOf(delivery), ['Expect', '100-continue'] as const];
      expect((await app.post(delivery, headers)).status).toBe(200);
    });

    it('takes a body of exactly maxBodyBytes and refuses one of a byte more', async () => {
      const delivery = genuine();
      const { length: bytes } = delivery.body;
      const exact = await startApp(target, { maxBodyBytes: bytes });
      const less = await startApp(target, { maxBodyBytes: bytes - 1 });
      const request = [head([...headersOf(delivery), CHUNKED]), chunked([delivery.body])];
      expect((await exact.post(delivery)).status).toBe(200);
      expect((await exact.exchange(...request)).status).toBe(200);
      expect((await less.post(delivery)).status).toBe(413);
      expect((await less.exchange(...request)).status).toBe(413);
      expect(less.errors.entries).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE', 'ERR_WEBHOOK_BODY_TOO_LARGE']);
      expect(less.seen.entries).toEqual([]);
    });

    it('refuses a body that is longer than its Content-Length says, and closes the connection', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(head([...headersOf(delivery), length(delivery.body.length - 1)]), delivery.body);
      // The byte too many is no request: the host may answer to it, with 400, before the delivery is.
      expect([400, 403]).toContain(expectAnswer(await wire.answer()).status);
      await wire.closed();
      expect(app.seen.entries).toEqual([]);
      expect((await app.post(delivery)).status).toBe(200);
    });
  });
}

/** Bodies that take long to send. */
export function largeBodyCases(target: Target): void {
  describe('large body', () => {
    it('answers a sender of 20 MB over the limit who sends on regardless', async () => {
      const app = await startApp(target);
      const delivery = genuineOfSize(20 * MIB);
      expect((await app.post(delivery)).status).toBe(413);
      const pieces = chunked(piecesOf(delivery.body, 60_000));
      expect((await app.exchange(head([...headersOf(delivery), CHUNKED]), pieces)).status).toBe(413);
      expect(app.seen.entries).toEqual([]);
    }, 20_000);

    it('takes 20 MB when the limit allows it', async () => {
      const app = await startApp(target, { maxBodyBytes: 32 * MIB });
      expect((await app.post(genuineOfSize(20 * MIB))).status).toBe(200);
    }, 20_000);

    it('takes a body in 50 000 chunks of one byte', async () => {
      const app = await startApp(target);
      const delivery = genuineOfSize(50_000);
      const body = chunked(piecesOf(delivery.body, 1));
      expect((await app.exchange(head([...headersOf(delivery), CHUNKED]), body)).status).toBe(200);
    }, 20_000);
  });
}

/** Bodies that are not whole when the adapter has to answer. For those that get them while they are on their way. */
export function unfinishedBodyCases(target: Target): void {
  describe('unfinished body', () => {
    it('refuses a body that says it is over the limit before any of it has come', async () => {
      const app = await startApp(target);
      const wire = await Wire.open(app.port);
      await wire.send(head([...headersOf(genuine()), length(11 * MIB)]));
      expect(expectAnswer(await wire.answer()).status).toBe(413);
      wire.end();
      await wire.closed();
    });

    it('answers 503 when the body stalls, and closes the connection', async () => {
      const app = await startApp(target, { receiveTimeoutMs: 30, maxInFlight: 1 });
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(framed(delivery).subarray(0, -1));
      expect(expectAnswer(await wire.answer()).status).toBe(503);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
      // Whether or not the sender hangs up.
      await wire.closed();
      expect((await app.post(delivery)).status).toBe(200);
      expect(app.seen.entries).toHaveLength(1);
    });

    it('answers 503 when a body in chunks never ends', async () => {
      const app = await startApp(target, { receiveTimeoutMs: 30 });
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(head([...headersOf(delivery), CHUNKED]), chunked([delivery.body]).subarray(0, -5));
      expect(expectAnswer(await wire.answer()).status).toBe(503);
      wire.end();
      await wire.closed();
      expect(app.seen.entries).toEqual([]);
    });

    it.each([
      ['breaks the connection off', 'cut'],
      ['hangs up', 'end'],
    ] as const)('survives a sender who %s half way, and takes the next one', async (_what, how) => {
      const app = await startApp(target, { maxInFlight: 1 });
      const delivery = genuine();
      const wire = await Wire.open(app.port);
      await wire.send(framed(delivery).subarray(0, -100));
      await app.requests.reaches(1);
      wire[how]();
      await app.errors.reaches(1);
      await wire.closed();
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_BODY_INCOMPLETE']);
      expect(app.seen.entries).toEqual([]);
      expect((await app.post(delivery)).status).toBe(200);
    });

    it('survives a refused body that is cut half way', async () => {
      const app = await startApp(target);
      const wire = await Wire.open(app.port);
      await wire.send(head([length(1000)]), Buffer.alloc(10));
      expect(expectAnswer(await wire.answer()).status).toBe(403);
      wire.cut();
      await wire.closed();
      expect((await app.post(genuine())).status).toBe(200);
    });
  });
}
