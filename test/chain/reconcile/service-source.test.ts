import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcile, type ServiceSourceOptions, serviceSource } from '../../../src/chain/index.js';
import { readerOf } from '../../../src/chain/reconcile/listed.js';
import { createWebhookClient, type WebhookClient } from '../../../src/client/index.js';
import { logIdentity } from '../../../src/evm/index.js';
import { createReceiver, memoryStore } from '../../../src/index.js';
import { sampleEventEmitted, sampleTransactionIncluded } from '../../../src/testing/index.js';
import { type Answer, apiKey, type Entry, type FakeService, startFakeService } from '../../client/fake-service.js';
import { secret } from '../../helpers.js';
import { chainId, keptCursor, noting, readAll } from './reconciling.js';

let service: FakeService;
let client: WebhookClient;
let log: Entry[];
const now = Date.now();
/** A store that has known everything for a week. */
const remembering = () => ({ ...memoryStore(), rememberedSince: () => Date.now() - 604_800_000 });
const silent = { debug() {}, info() {}, warn() {}, error() {} };

beforeEach(async () => {
  service = await startFakeService();
  client = createWebhookClient({ baseUrl: service.baseUrl, apiKey, retries: 0 });
  await client.create({ label: 'orders', url: 'https://shop.example/webhooks' });
  log = [];
  service.logs.set(1, log);
});

afterEach(() => service.close());

/** Adds entries to the log, newest first, each a minute younger than the one before; the youngest is an hour old. */
function add(count: number, changes: (id: number) => Partial<Entry> = () => ({})): void {
  for (let id = log.length + 1; count > 0; count--, id++) {
    const createdAt = new Date(now - 3_600_000 - count * 60_000).toISOString();
    const { event: eventType, data } = sampleEventEmitted({ id: `wire-${id}`, data: { triggeredAt: createdAt } });
    log.unshift({ id, eventType, data, createdAt, ...changes(id) });
  }
}

const open = (options: ServiceSourceOptions = {}) => serviceSource(client, 1, { chainId, now: () => now, ...options });
const positionsOf = async (options?: ServiceSourceOptions, from = 0) =>
  (await readAll(open(options), from)).chunks.map(({ entries }) => entries.map(({ position }) => position));
const young = (seconds: number) => ({ createdAt: new Date(now - seconds * 1000).toISOString() });
const delivered = { deliveredAt: '2026-01-02T00:00:00Z' };

describe('serviceSource', () => {
  it('reads what was not delivered in the order of the entries, in whatever order the log is', async () => {
    add(9, (id) => (id % 3 === 0 ? delivered : {}));
    expect((await readAll(open(), 2, 5)).events).toHaveLength(3);
    for (const order of [
      (a: Entry, b: Entry) => a.id - b.id,
      (a: Entry, b: Entry) => ((a.id * 7) % 9) - ((b.id * 7) % 9),
    ]) {
      log.sort(order);
      expect(await positionsOf()).toEqual([[1, 2, 4, 5, 7, 8]]);
      expect(await positionsOf({ delivered: true }, 4)).toEqual([[4, 5, 6, 7, 8, 9]]);
    }
  });

  it('has the event of an entry, under an id of its place in the log', async () => {
    add(1);
    const { events, chunks } = await readAll(open());
    const id = `delivery-log:${new URL(service.baseUrl).host}:1:1`;
    expect(events).toEqual([{ id, event: 'event.emitted', data: log[0]?.data }]);
    expect(chunks[0]?.oldestAt).toBe(Date.parse(String(log[0]?.createdAt)));
    expect((await readAll(open({ eventId: (entry) => `own-${entry.id}` }))).events[0]?.id).toBe('own-1');
    add(1, () => ({ createdAt: 'yesterday', data: null }));
    expect((await readAll(open())).chunks[0]?.oldestAt).toBeUndefined();
  });

  it('ends before the first entry that is too young, delivered or not', async () => {
    add(3);
    add(1, () => ({ ...young(200), ...delivered }));
    add(1, () => young(100));
    const { signal } = new AbortController();
    expect(await open().open({ signal })).toMatchObject({ chainId, end: 3, head: 5 });
    expect(await open({ minAgeSeconds: 150 }).open({ signal })).toMatchObject({ chainId, end: 4, head: 5 });
    expect(await open({ minAgeSeconds: 0 }).open({ signal })).toMatchObject({ chainId, end: 5, head: 5 });
    expect(await positionsOf()).toEqual([[1, 2, 3]]);
  });

  it('does not keep what was listed after the end: more may come there', async () => {
    add(3);
    add(1, () => young(100));
    const source = open();
    const read = async (from: number) => {
      const { chunks } = await readAll(source, from);
      return chunks.flatMap(({ entries }) => entries.map(({ position }) => position));
    };
    expect(await read(1)).toEqual([1, 2, 3]);
    log.splice(0, 1, { ...(log[0] as Entry), ...young(400) });
    add(1);
    expect(await read(4)).toEqual([4, 5]);
  });

  it('leaves out kinds that it does not know, and transactions that nothing tells apart', async () => {
    const included = (data: object) => ({ eventType: 'transaction.included', data });
    const { data } = sampleTransactionIncluded();
    const hash = `0x${'ab'.repeat(32)}`;
    add(1, () => ({ eventType: 'block.mined', data: {} }));
    add(1, () => included({ ...data, blockHash: undefined }));
    add(1, () => included({ ...data, blockHash: hash, tx: {} }));
    add(1, () => included({ ...data, blockHash: hash, tx: { hash } }));
    expect(await positionsOf()).toEqual([[4]]);
    expect(await positionsOf({ eventId: ({ id }) => String(id) })).toEqual([[2, 3, 4]]);
  });

  describe('of a service that lists the newest entry first', () => {
    const newest = { newestFirst: true };

    it('reads only as far back as it must', async () => {
      add(900);
      service.seen.splice(0);
      expect(await positionsOf(newest, 896)).toEqual([[896, 897, 898, 899, 900]]);
      expect(service.seen.length).toBeLessThan(6);
      expect(await positionsOf(newest)).toEqual(await positionsOf());
    });

    it('ends the run at once if the order is another, as no retry can succeed', async () => {
      add(10);
      log.reverse();
      const { receiver } = noting({ store: remembering() });
      const options = { source: open(newest), receiver, from: 0, cursor: keptCursor(), logger: silent };
      service.seen.splice(0);
      await expect(reconcile(options)).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_CONFIG',
        message: expect.stringContaining('Remove the option `newestFirst`'),
      });
      expect(service.seen).toHaveLength(1);
    });
  });

  it('keeps few events of a long list in memory', async () => {
    const positions = [5, 2, 9, 7, 1, 8, 3];
    let listings = 0;
    async function* list(from: number) {
      listings++;
      for (const position of positions) if (position >= from) yield { position, at: position, event: {} as never };
    }
    const chunks: number[][] = [];
    for await (const { entries } of readerOf(list, 9, 2)(1, 9)) chunks.push(entries.map(({ position }) => position));
    expect(chunks).toEqual([[1, 2], [3, 5], [7, 8], [9]]);
    expect(listings).toBe(4);
  });

  it.each<[string, object]>([
    ['chainId', { chainId: 0 }],
    ['minAgeSeconds', { minAgeSeconds: -1 }],
    ['delivered', { delivered: 1 }],
    ['chunkSize', { chunkSize: 2 }],
    ['eventId', { eventId: 'id' }],
    ['newestfirst', { newestfirst: true }],
  ])('refuses the option %s', (name, options) => {
    expect(() => Reflect.apply(serviceSource, undefined, [client, 1, options])).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
    );
  });

  it('has reconcile fail only the entry that nests too deep, and repair the others', async () => {
    add(2);
    const deep = `"data":${'['.repeat(50_000)}${']'.repeat(50_000)},"createdAt"`;
    const body = JSON.stringify({ result: log }).replace(/"data":\{"triggeredAt".*?\}\},"createdAt"/, deep);
    service.next.push(...Array.from({ length: 4 }, (): Answer => (response) => response.end(body)));
    const { receiver, handled } = noting({ store: remembering() });
    const report = await reconcile({ source: open(), receiver, from: 0, cursor: keptCursor(), logger: silent });
    expect(report).toMatchObject({ found: 2, repaired: 1, failed: 1, stopped: undefined });
    expect(handled).toHaveLength(1);
  });

  it('makes good what was not delivered once, and what arrived by itself not again', async () => {
    add(6, (id) => (id === 2 ? delivered : {}));
    const handled: string[] = [];
    const receiver = createReceiver({
      ...{ secret, store: remembering(), idempotencyKey: (event) => logIdentity(event, { chainId }) },
      onEvent: ({ id }) => void handled.push(id),
    });
    const live = { id: 'wire-3', event: 'event.emitted' as const, data: log.find(({ id }) => id === 3)?.data } as never;
    await receiver.handleEvents([live]);
    const cursor = keptCursor();
    const run = () => reconcile({ source: open(), receiver, from: 0, cursor, logger: silent });
    expect(await run()).toMatchObject({ found: 5, repaired: 4, present: 1, to: 6, final: 6 });
    const idOf = (id: number) => `delivery-log:${new URL(service.baseUrl).host}:1:${id}`;
    expect(handled).toEqual(['wire-3', ...[1, 4, 5, 6].map(idOf)]);
    expect(await run()).toMatchObject({ found: 0, from: 7 });
    add(1);
    expect(await run()).toMatchObject({ found: 1, repaired: 1 });
  });
});
