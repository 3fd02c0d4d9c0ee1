import { describe, expect, it, vi } from 'vitest';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { startApp } from './app.js';
import { NO_DELIVERIES, UNKNOWN_ITEM } from './cases/contents.js';
import { genuine, sign } from './deliveries.js';
import type { Target } from './targets.js';

/** Authentic bytes that are no delivery, or of which a part is none. */
export function contentCases(target: Target): void {
  describe('content', () => {
    it.each(NO_DELIVERIES)('answers 400 to an authentic body that is %s', async (_title, body) => {
      const app = await startApp(target);
      expect((await app.post(sign(body))).status).toBe(400);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_INVALID_BODY']);
      expect(app.seen.entries).toEqual([]);
    });

    it('takes as many items as maxEvents, and answers 413 to one more', async () => {
      const app = await startApp(target, { maxEvents: 2 });
      const [first, last] = [sampleEventEmitted(), sampleEventEmitted()];
      expect((await app.post(genuine(first, last))).status).toBe(200);
      expect((await app.post(sign('[1,1,1]'))).status).toBe(413);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_BODY_TOO_LARGE']);
      expect(app.seen.entries).toEqual([first.id, last.id]);
    });

    it('takes an empty array', async () => {
      const app = await startApp(target);
      expect((await app.post(sign('[]'))).status).toBe(200);
    });

    it('hands on the good items around a bad one, in their order', async () => {
      const app = await startApp(target, { onInvalid: () => {} });
      const [first, last] = [sampleEventEmitted(), sampleEventEmitted()];
      expect((await app.post(genuine(first, { id: 'bad', event: 'event.emitted' }, last))).status).toBe(200);
      expect(app.seen.entries).toEqual([first.id, last.id]);
    });

    it('takes an item of a kind that it does not know', async () => {
      const app = await startApp(target);
      const event = sampleEventEmitted();
      expect((await app.post(genuine(UNKNOWN_ITEM, event))).status).toBe(200);
      expect(app.seen.entries).toEqual([event.id]);
    });
  });
}

/** What becomes of single items, by those that answer for them. */
export function itemCases(target: Target): void {
  describe('items', () => {
    it('answers 422 to one bad item among good ones, and handles the good ones once', async () => {
      const app = await startApp(target);
      const [first, last] = [sampleEventEmitted(), sampleEventEmitted()];
      const delivery = genuine(first, null, last);
      expect((await app.post(delivery)).status).toBe(422);
      expect((await app.post(delivery)).status).toBe(422);
      expect(app.seen.entries).toEqual([first.id, last.id]);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_INVALID_EVENT', 'ERR_WEBHOOK_INVALID_EVENT']);
    });

    it('gives a bad item to onInvalid, and answers 500 when that fails', async () => {
      const onInvalid = vi.fn().mockRejectedValueOnce(new Error('the dead-letter table is away'));
      const app = await startApp(target, { onInvalid });
      const delivery = genuine({ id: 7, event: 'event.emitted' });
      expect((await app.post(delivery)).status).toBe(500);
      expect((await app.post(delivery)).status).toBe(200);
      expect(onInvalid).toHaveBeenLastCalledWith(
        expect.objectContaining({ status: 'invalid', raw: { id: 7, event: 'event.emitted' } }),
      );
    });

    it('shows an item of an unknown kind to onUnknown', async () => {
      const onUnknown = vi.fn();
      const app = await startApp(target, { onUnknown });
      expect((await app.post(genuine(UNKNOWN_ITEM))).status).toBe(200);
      expect(onUnknown.mock.calls).toEqual([
        [{ status: 'unknown', id: 'new', kind: 'block.mined', raw: UNKNOWN_ITEM }],
      ]);
    });
  });
}
