import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finalityOf } from '../../src/chain/finality/stage.js';
import { createWebhookClient, type WebhookClient } from '../../src/client/index.js';
import { logIdentity } from '../../src/evm/index.js';
import type { WebhookEvent } from '../../src/index.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { noting, signed } from '../helpers.js';
import { storeDoing } from '../receiver/fake-bulk-store.js';
import { DROPPED, scripted, waiting } from '../receiver/scripted-finality.js';
import { apiKey, type Entry, type FakeService, json, startFakeService } from './fake-service.js';

let service: FakeService;
let client: WebhookClient;
let log: Entry[];
const secret = 'secret-of-1';
const now = Date.now();
const recovering = { secret };

beforeEach(async () => {
  service = await startFakeService();
  client = createWebhookClient({ baseUrl: service.baseUrl, apiKey, random: () => 0 });
  await client.create({ label: 'orders', url: 'https://shop.example/webhooks' });
  log = [];
  service.logs.set(1, log);
});

afterEach(() => service.close());

/** Adds entries to the log, each a second younger than the one before; newest first, as most logs are. */
function add(count: number, changes: (n: number) => Partial<Entry> = () => ({})): void {
  for (let n = 0; n < count; n++) {
    const id = log.length + 1;
    const { event: eventType, data } = sampleEventEmitted({ id: `wire-${id}` });
    const createdAt = new Date(now - 3_600_000 + id * 1000).toISOString();
    log.unshift({ id, eventType, data, createdAt, ...changes(id) });
  }
}

const key = (id: number) => `delivery-log:${new URL(service.baseUrl).host}:1:${id}`;

describe('recoverMissed', () => {
  it('handles the undelivered entries, oldest first', async () => {
    add(7, (id) => (id % 3 === 0 ? { deliveredAt: '2026-01-02T00:00:00Z' } : {}));
    const events: WebhookEvent[] = [];
    const { receiver, reported } = noting({ ...recovering, onEvent: (event) => events.push(event) });
    const result = await client.recoverMissed(1, receiver);
    expect(events.map(({ id }) => id)).toEqual([1, 2, 4, 5, 7].map(key));
    expect(events[0]).toEqual({ id: key(1), event: 'event.emitted', data: log.at(-1)?.data });
    expect(result).toMatchObject({ found: 5, handled: 5, duplicates: 0, failed: 0, left: 0 });
    expect(result.entries[0]).toEqual({ id: 1, eventId: key(1), status: 'handled' });
    expect(result).not.toHaveProperty('stopped');
    expect(reported).toEqual([]);
  });

  it('recognizes an event that was delivered live only if the key depends on the chain', async () => {
    add(2);
    const live = signed([sampleEventEmitted({ id: 'wire-1' })], { secret });
    const byChain = noting({ ...recovering, idempotencyKey: (event) => logIdentity(event, { chainId: 1 }) });
    await byChain.receiver.handle(live);
    expect(await client.recoverMissed(1, byChain.receiver)).toMatchObject({ handled: 1, duplicates: 1 });
    expect(byChain.handled).toEqual(['wire-1', key(2)]);

    const byId = noting(recovering);
    await byId.receiver.handle(live);
    expect(await client.recoverMissed(1, byId.receiver)).toMatchObject({ handled: 2, duplicates: 0 });

    const told = noting(recovering);
    await told.receiver.handle(live);
    const eventId = ({ id }: { id: number }) => `wire-${id}`;
    const result = await client.recoverMissed(1, told.receiver, { eventId });
    expect(result).toMatchObject({ handled: 1, duplicates: 1 });
  });

  it('reports events that are invalid, unknown or failed, and continues with the others', async () => {
    add(2);
    add(1, () => ({ data: { triggeredAt: 1 } }));
    add(1, () => ({ data: null }));
    add(1, () => ({ eventType: 'block.mined', data: {} }));
    add(1, () => ({ eventType: 'transaction.included', data: sampleTransactionIncluded().data }));
    const { receiver } = noting({
      ...recovering,
      onEvent: (event) => {
        if (event.id === key(2)) throw new Error('the database is full');
      },
    });
    const result = await client.recoverMissed(1, receiver);
    expect(result).toMatchObject({ found: 6, handled: 2, failed: 1, invalid: 2, unknown: 1, left: 0 });
    expect(result.entries.map(({ id, status, error }) => [id, status, error?.code])).toEqual([
      [1, 'handled', undefined],
      [2, 'failed', 'ERR_WEBHOOK_HANDLER'],
      [3, 'invalid', 'ERR_WEBHOOK_INVALID_EVENT'],
      [4, 'invalid', 'ERR_WEBHOOK_INVALID_EVENT'],
      [5, 'unknown', undefined],
      [6, 'handled', undefined],
    ]);
    // Of this entry alone, not of all that were fed together.
    expect(result.entries[3]?.error?.message).toBe('Not a valid event: data: expected an object');
  });

  it('reports an entry that nests too deep as invalid', async () => {
    add(2);
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const body = JSON.stringify({ result: log }).replace(
      /"data":\{"triggeredAt".*?\}\},"createdAt"/,
      `"data":${deep},"createdAt"`,
    );
    service.next.push((response) => response.end(body));
    const { receiver } = noting(recovering);
    const result = await client.recoverMissed(1, receiver);
    expect(result).toMatchObject({ found: 2, handled: 1, invalid: 1 });
  });

  it('keeps a quantity exact that JavaScript would round', async () => {
    const fee = '12345678901234567890';
    add(1, () => ({ eventType: 'transaction.included', data: 'PLACE' }));
    const body = JSON.stringify({ result: log }).replace('"PLACE"', `{"status":"included","fee":${fee}}`);
    service.next.push((response) => response.end(body));
    const events: WebhookEvent[] = [];
    const { receiver } = noting({ ...recovering, onEvent: (event) => events.push(event) });
    await client.recoverMissed(1, receiver);
    expect(events[0]?.data).toEqual({ status: 'included', fee });
  });

  it('reads a log that grows meanwhile to its end, and feeds nothing twice', async () => {
    add(30);
    const { receiver, handled } = noting(recovering);
    for (let page = 0; page < 5; page++) {
      service.next.push((response, { path }) => {
        const query = new URL(path, 'http://localhost').searchParams;
        const offset = Number(query.get('offset'));
        const result = log.slice(offset, offset + Number(query.get('limit')));
        add(2);
        json(200, { result })(response, {} as never);
      });
    }
    await client.recoverMissed(1, receiver, { pageSize: 5 });
    expect(handled).toEqual(Array.from({ length: 30 }, (_, n) => key(n + 1)));
  });
});

describe('recoverMissed', () => {
  it('skips an entry that is younger than minAgeSeconds or has no time', async () => {
    add(2);
    add(1, () => ({ createdAt: new Date(now - 60_000).toISOString() }));
    add(1, () => ({ createdAt: new Date(now - 30_000).toISOString() }));
    add(1, () => ({ createdAt: 'yesterday' }));
    const { receiver, handled } = noting(recovering);
    const result = await client.recoverMissed(1, receiver, { minAgeSeconds: 60 });
    expect(result).toMatchObject({ found: 5, handled: 3, tooYoung: 2, left: 0 });
    expect(handled).toEqual([1, 2, 3].map(key));
    expect(await client.recoverMissed(1, receiver)).toMatchObject({ handled: 2, duplicates: 3, tooYoung: 0 });
  });

  it('skips entries that are older than since', async () => {
    add(5);
    const since = new Date(now - 3_600_000 + 3000);
    for (const each of [since, since.getTime()]) {
      const { receiver, handled } = noting(recovering);
      expect(await client.recoverMissed(1, receiver, { since: each })).toMatchObject({ found: 3 });
      expect(handled).toEqual([3, 4, 5].map(key));
    }
  });

  it('leaves the youngest of more than 10 000 entries', { timeout: 30_000 }, async () => {
    add(10_050);
    const { receiver, handled } = noting(recovering);
    const result = await client.recoverMissed(1, receiver, { batchSize: 1000, pageSize: 1000 });
    expect(handled).toEqual(Array.from({ length: 10_000 }, (_, at) => key(at + 1)));
    expect(result).toMatchObject({ found: 10_050, handled: 10_000, left: 50 });
  });
});

describe('recoverMissed with a receiver that is busy', () => {
  it('stops while the receiver drains, and counts nothing as handled', async () => {
    add(5);
    const { receiver, handled } = noting(recovering);
    await receiver.drain();
    const result = await client.recoverMissed(1, receiver, { batchSize: 2 });
    expect(result).toMatchObject({ found: 5, handled: 0, left: 5, entries: [] });
    expect(result.stopped).toMatchObject({ reason: 'busy', status: 503, error: { code: 'ERR_WEBHOOK_DRAINING' } });
    expect(handled).toEqual([]);
  });

  it('stops while the store is down, after the events that were handled before', async () => {
    add(6);
    let calls = 0;
    const store = storeDoing(async (run) => {
      if (++calls > 2) throw new Error('store is down');
      await run();
      return 'handled';
    });
    const { receiver } = noting({ ...recovering, store });
    const result = await client.recoverMissed(1, receiver, { batchSize: 3 });
    expect(result).toMatchObject({ found: 6, handled: 2, failed: 1, left: 3 });
    expect(result.stopped).toMatchObject({ reason: 'busy', error: { code: 'ERR_WEBHOOK_STORE' } });
  });

  it('continues after an event whose block is not final yet', async () => {
    add(5);
    const { finality } = scripted({ [key(1)]: waiting(), [key(3)]: DROPPED });
    const { receiver, handled } = noting({
      ...recovering,
      finality: finalityOf(finality),
      idempotencyKey: ({ id }) => id,
    });
    const result = await client.recoverMissed(1, receiver, { batchSize: 2 });
    expect(result).toMatchObject({ found: 5, handled: 3, notFinal: 1, dropped: 1, left: 0 });
    expect(handled).toEqual([2, 4, 5].map(key));
  });

  it('stops if the receiver returns 200 without outcomes', async () => {
    add(3);
    const silent = { handleEvents: async () => ({ status: 200, outcomes: [] }) };
    const result = await client.recoverMissed(1, silent);
    expect(result).toMatchObject({ handled: 0, left: 3, stopped: { reason: 'refused', status: 200 } });
  });
});

it('recoverMissed keeps a thousand entries, first those that did not take effect', async () => {
  add(1010, (id) => (id > 1005 ? { data: null } : {}));
  const { receiver } = noting(recovering);
  const result = await client.recoverMissed(1, receiver);
  expect(result).toMatchObject({ found: 1010, handled: 1005, invalid: 5 });
  expect(result.entries.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 995 }, (_, n) => n + 1),
    ...[1006, 1007, 1008, 1009, 1010],
  ]);
});

it('recoverMissed rejects if the log cannot be read, and handles nothing', async () => {
  add(20);
  const { receiver, handled } = noting(recovering);
  const page = json(200, { result: log.slice(0, 10) });
  service.next.push(page, json(403, { message: 'no' }));
  const recovered = client.recoverMissed(1, receiver, { pageSize: 10 });
  await expect(recovered).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API', status: 403 });
  expect(handled).toEqual([]);
});

it.each([{ batchSize: 0 }, { minAgeSeconds: -1 }, { pageSize: 0 }, { since: new Date('x') }])(
  'recoverMissed refuses the options %j',
  async (wrong) => {
    const { receiver } = noting(recovering);
    await expect(client.recoverMissed(1, receiver, wrong)).rejects.toMatchObject({ name: 'ConfigError' });
  },
);
