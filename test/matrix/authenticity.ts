import { describe, expect, it } from 'vitest';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { startApp } from './app.js';
import { headersOf } from './cases/delivery.js';
import { digitsMoved, FORGERIES } from './cases/forgeries.js';
import { hasRepeated, OTHER_NAMES, oddlyCased, refusedHeaders, WINDOW } from './cases/headers.js';
import { genuine, SECRET, sign, TIMESTAMP } from './deliveries.js';
import type { Target } from './targets.js';

/** What is genuine is taken, and what is not never gets further than its signature. */
export function authenticityCases(target: Target): void {
  describe('authenticity', () => {
    it.each([
      ['event.emitted', sampleEventEmitted],
      ['transaction.included', sampleTransactionIncluded],
    ])('takes a genuine %s', async (_kind, sample) => {
      const app = await startApp(target);
      const event = sample();
      expect((await app.post(genuine(event))).status).toBe(200);
      expect(app.seen.entries).toEqual([event.id]);
      expect(app.errors.entries).toEqual([]);
    });

    it('takes a signature in upper case', async () => {
      const app = await startApp(target);
      const delivery = genuine();
      expect((await app.post({ ...delivery, signature: delivery.signature.toUpperCase() })).status).toBe(200);
    });

    it('takes a delivery that is signed under any of several secrets', async () => {
      const app = await startApp(target, { secret: async () => ['whsec-new', SECRET] });
      expect((await app.post(genuine())).status).toBe(200);
      expect((await app.post(sign('[]', { secret: 'whsec-new' }))).status).toBe(200);
      expect((await app.post(sign('[]', { secret: 'whsec-old' }))).status).toBe(403);
    });

    it.each(FORGERIES)('refuses %s', async (_title, forge) => {
      const app = await startApp(target);
      expect((await app.post(await forge(genuine(), sign))).status).toBe(403);
      expect(app.seen.entries).toEqual([]);
      expect(app.errors.entries).toHaveLength(1);
    });

    it('never handles a delivery with digits moved from its timestamp to its body', async () => {
      const app = await startApp(target, { toleranceSeconds: false });
      const statuses: number[] = [];
      for (const moved of digitsMoved(genuine())) statuses.push((await app.post(moved)).status);
      // What is left of 1700000000 is canonical only as 700000000 and as 0. Then the signature holds, and the body is no JSON.
      expect(statuses).toEqual([400, 403, 403, 403, 403, 403, 403, 403, 400, 403]);
      expect(app.seen.entries).toEqual([]);
    });
  });

  describe('headers', () => {
    const delivery = genuine();

    const refused = refusedHeaders(delivery).filter(
      ([, headers]) => target.losesRepeated === undefined || !hasRepeated(headers),
    );
    it.each(refused)('refuses headers with %s', async (_title, headers) => {
      const app = await startApp(target);
      expect((await app.post(delivery, headers)).status).toBe(403);
      expect(app.seen.entries).toEqual([]);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_HEADER']);
    });

    it('takes header names in any case', async () => {
      const app = await startApp(target);
      expect((await app.post(delivery, oddlyCased(delivery))).status).toBe(200);
    });

    it('takes other header names when it was told of them', async () => {
      const app = await startApp(target, { headers: OTHER_NAMES });
      expect((await app.post(delivery, headersOf(delivery, OTHER_NAMES))).status).toBe(200);
      expect((await app.post(delivery)).status).toBe(403);
    });

    it.each(WINDOW)('%s what is %s toleranceSeconds allows', async (_verb, _age, seconds, status) => {
      const app = await startApp(target, { toleranceSeconds: 300 });
      const event = sampleEventEmitted();
      const aged = sign(JSON.stringify([event]), { timestamp: String(Number(TIMESTAMP) + seconds) });
      expect((await app.post(aged)).status).toBe(status);
      expect(app.seen.entries).toEqual(status === 200 ? [event.id] : []);
    });
  });
}
