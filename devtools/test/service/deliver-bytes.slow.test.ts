import { verifySignature } from 'event-webhook-receiver/verify';
import { describe, expect, it } from 'vitest';
import { event } from '../../../test/helpers.js';
import { listening } from './receivers.js';
import { serving } from './service.js';
import { newFile } from './storages.js';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A receiver that answers each request as told, and what it got. */
async function noting(status: (body: string) => number = () => 200) {
  const got: { body: Buffer; signature: string; timestamp: string }[] = [];
  const { url } = await listening(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const header = (name: string) => String(request.headers[name]);
    got.push({ body, signature: header('x-service-signature'), timestamp: header('x-service-timestamp') });
    response.writeHead(status(body.toString())).end();
  });
  return { url, got, texts: () => got.map(({ body }) => body.toString()) };
}

describe('deliver', () => {
  it('signs bytes as they are, and keeps a copy of them', async () => {
    const { service, changes } = await serving();
    const { url, got } = await noting();
    const { id, secret } = service.register({ label: 'mine', url });
    const rawBody = new Uint8Array([0xff, 0x00, 0x7b]);
    expect(service.deliver(id, rawBody)).toBe('1');
    rawBody.fill(0);
    await service.idle();
    const [{ body, signature, timestamp }] = got as [(typeof got)[0]];
    expect([...body]).toEqual([0xff, 0x00, 0x7b]);
    expect(verifySignature(body, signature, timestamp, secret)).toBe(true);
    expect(changes.at(-1)).toMatchObject({ id: '1', state: 'delivered', attempts: [{ status: 200 }] });
  });

  it.each([
    ['many small values', '0,'.repeat(20_000)],
    ['more values than are parsed', '['.repeat(2_000_000)],
  ])('pushes no other delivery out of the log, with %s', async (_, values) => {
    const { service, call } = await serving();
    const { url } = await noting();
    service.register({ label: 'mine', url });
    service.emit([event('a')]);
    await service.idle();
    service.deliver(1, bytes(`[${values}0]`));
    await service.idle();
    service.deliver(1, bytes('[1,2]'));
    await service.idle();
    expect(service.redeliver('1')).toBe(true);
    await service.idle();
    expect((await call('GET', '/1/events/count')).result).toBe(4);
    const log = (await call('GET', '/1/events')).result as { id: number }[];
    expect(log.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('goes before what waits, and does not hold it back when it is refused', async () => {
    const { service, changed } = await serving({ retries: { initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
    let isUp = false;
    const { url, texts } = await noting((body) => (isUp && body !== '[1]' ? 200 : 500));
    service.register({ label: 'mine', url });
    service.emit([event('a')]);
    await changed(({ nextAttemptAt }) => nextAttemptAt !== undefined);
    service.emit([event('b')]);
    isUp = true;
    const id = service.deliver(1, bytes('[1]'));
    const refused = await changed((delivery) => delivery.id === id && delivery.state !== 'pending');
    expect(refused).toMatchObject({ state: 'given-up', attempts: [{ status: 500 }] });
    expect(service.queues()).toMatchObject([{ behind: '1', waiting: 1 }]);
    service.retry(1);
    await service.idle();
    expect(texts().map((text) => /^\[1\]|"id":"([^"]*)"/.exec(text)?.[1] ?? '[1]')).toEqual(['a', '[1]', 'a', 'b']);
  });

  it('refuses a webhook that does not exist, and bodies of another size', async () => {
    const { service } = await serving();
    expect(() => service.deliver(1, bytes('[]'))).toThrow(expect.objectContaining({ status: 404 }));
    const { url } = await noting();
    service.register({ label: 'mine', url });
    for (const body of [new Uint8Array(0), new Uint8Array(10 * 1024 * 1024 + 1), '[]' as never]) {
      expect(() => service.deliver(1, body)).toThrow('`rawBody` must be a Uint8Array of 1 byte to 10 MiB.');
    }
    await service.close();
    expect(() => service.deliver(1, bytes('[]'))).toThrow('closed');
    expect(() => service.retry(1)).toThrow('closed');
  });

  it('survives a restart: what was not sent yet is sent once', async () => {
    const file = newFile();
    const { url, texts } = await noting(() => 500);
    const first = await serving({ file });
    first.service.register({ label: 'mine', url });
    first.service.setFaults({ delayMs: 600_000 });
    first.service.deliver(1, bytes('[7]'));
    await first.service.close();
    expect(texts()).toEqual([]);
    const second = await serving({ file });
    await second.service.idle();
    expect(texts()).toEqual(['[7]']);
    expect(second.changes.at(-1)).toMatchObject({ id: '1', state: 'given-up' });
    await second.service.close();
    const third = await serving({ file });
    third.service.redeliver('1');
    await third.service.idle();
    expect(texts()).toEqual(['[7]', '[7]']);
  });

  it('leaves nothing pending while deliveries are edited, retried, sent again and removed at once', async () => {
    const { service, changes } = await serving();
    let requests = 0;
    const { url } = await noting(() => (++requests % 3 === 0 ? 200 : 500));
    for (const label of ['a', 'b', 'c']) service.register({ label, url });
    for (let round = 0; round < 20; round++) {
      service.emit([event(`e${round}`)]);
      const ids = [1, 2].map((webhookId) => service.deliver(webhookId, bytes(`[${round}]`)));
      for (const webhookId of [1, 2, 3]) service.retry(webhookId);
      for (const id of ids) service.redeliver(id);
      await new Promise(setImmediate);
    }
    service.remove(2);
    expect(() => service.deliver(2, bytes('[]'))).toThrow(expect.objectContaining({ status: 404 }));
    expect(service.retry(2)).toBeUndefined();
    await service.idle();
    expect(service.queues()).toEqual([]);
    const last = new Map(changes.filter(({ webhookId }) => webhookId !== 2).map((each) => [each.id, each.state]));
    // 20 events for two webhooks, and 20 edited bodies.
    expect([last.size, [...last.values()].includes('pending')]).toEqual([60, false]);
  });
});
