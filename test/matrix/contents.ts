import { describe, expect, it, vi } from 'vitest';
import { sampleEventEmitted } from '../../src/testing.js';
import { startApp } from './app.js';
import { genuine, sign } from './deliveries.js';
import type { Target } from './targets.js';

/** Authentic bytes that are no delivery, or of which a part is none. */
export function contentCases(target: Target): void {
  describe('content', () => {
    it.each([
      ['not UTF-8', Buffer.from('[{"id":"\xff"}]', 'latin1')],
      ['UTF-8 cut inside a character', Buffer.from('["é"]').subarray(0, 3)],
      ['a lone surrogate in UTF-8', Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d])],
      ['UTF-16', Buffer.from('[]', 'utf16le')],
      ['after a byte order mark', '\ufeff[]'],
      ['not JSON', '[{"id":"1"'],
      ['blank', ' '],
      ['a JSON object', '{"id":"1"}'],
      ['a JSON string', '"[]"'],
      ['JSON null', 'null'],
    ])('answers 400 to an authentic body that is %s', async (_title, body) => {
      const app = await startApp(target);
      expect((await app.post(sign(body))).status).toBe(400);
      expect(app.errors.entries).toEqual(['ERR_WEBHOOK_INVALID_BODY']);
      expect(app.seen.entries).toEqual([]);
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
      expect((await app.post(genuine({ id: 'new', event: 'block.mined', data: {} }, event))).status).toBe(200);
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
      const item = { id: 'new', event: 'block.mined', data: {} };
      expect((await app.post(genuine(item))).status).toBe(200);
      expect(onUnknown.mock.calls).toEqual([[{ status: 'unknown', id: 'new', kind: 'block.mined', raw: item }]]);
    });
  });
}
