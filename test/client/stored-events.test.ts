import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookClient, type EventQuery, type WebhookClient } from '../../src/client/index.js';
import { sampleEventEmitted } from '../../src/testing/index.js';
import { apiKey, type FakeService, json, startFakeService, text } from './fake-service.js';

let service: FakeService;
let client: WebhookClient;

beforeEach(async () => {
  service = await startFakeService();
  client = createWebhookClient({ baseUrl: service.baseUrl, apiKey, retries: 0 });
});

afterEach(() => service.close());

/** Events of a block each, newest first. */
function store(count: number): void {
  for (let block = 1; block <= count; block++) {
    const { data } = sampleEventEmitted({ data: { transaction: { blockNumber: block } } });
    service.stored.unshift(data);
  }
}

async function blocksOf(query?: EventQuery): Promise<unknown[]> {
  const blocks = [];
  for await (const { transaction } of client.events(query)) blocks.push(transaction.blockNumber);
  return blocks;
}

const rejected = (message: string) =>
  expect.objectContaining({ code: 'ERR_WEBHOOK_API', message: expect.stringContaining(message) });

describe('events', () => {
  it('iterates over the stored events in the order of the service, page by page', async () => {
    store(7);
    expect(await blocksOf({ pageSize: 3 })).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(service.seen.map(({ path }) => path)[0]).toBe('/api/v0/events?limit=3&offset=0');
    expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('asks for what the query says', async () => {
    store(3);
    const { address } = service.stored[0]?.event.contract ?? ({} as never);
    expect(await blocksOf({ contractAddress: address })).toEqual([3, 2, 1]);
    expect(service.seen[0]?.path).toBe(`/api/v0/events?contract_address=${address}&limit=100&offset=0`);
  });

  it('keeps quantities exact that JavaScript would round', async () => {
    store(1);
    const body = JSON.stringify({ status: 200, result: service.stored }).replace(
      '"1000000000000000000"',
      '1000000000000000001',
    );
    service.next.push(text(200, body));
    for await (const { event } of client.events()) expect(event.inputs[2]?.value).toBe('1000000000000000001');
  });

  it.each([
    ['is not a list', {}],
    ['has events without a transaction', [{ ...sampleEventEmitted().data, transaction: null }]],
  ])('rejects when the answer %s', async (_, result) => {
    service.next.push(json(200, { status: 200, result }));
    await expect(blocksOf()).rejects.toEqual(rejected('GET /events: the answer with status 200 is not a list'));
  });

  it.each<[string, object]>([
    ['contractAddress', { contractAddress: '' }],
    ['contractAdress', { contractAdress: '0x' }],
  ])('refuses a query by name: %s', (name, query) => {
    expect(() => client.events(query)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
    );
  });
});

describe('the status of the chain and of a contract', () => {
  it('is read field by field', async () => {
    Object.assign(service.chain, { chainID: 5, blockNumber: 77 });
    service.indexed.set('0xabc', { latestBlockNumber: 70, isProcessingPastLogs: false });
    expect(await client.chainStatus()).toEqual({ chainId: 5, blockNumber: 77 });
    expect(await client.indexingStatus('0xabc', 'token')).toEqual({
      latestBlockNumber: 70,
      isProcessingPastLogs: false,
    });
    expect(service.seen[1]?.path).toBe('/api/v0/chains/ethereum/addresses/0xabc/contracts/token/status');
  });

  it.each([null, {}, { chainID: '1', blockNumber: 7, latestBlockNumber: 7, isProcessingPastLogs: 0 }])(
    'rejects the answer %j',
    async (result) => {
      service.next.push(json(200, { status: 200, result }), json(200, { status: 200, result }));
      await expect(client.chainStatus()).rejects.toEqual(rejected('is not the status of a chain'));
      await expect(client.indexingStatus('0xabc', 'token')).rejects.toEqual(
        rejected('is not the status of a contract'),
      );
    },
  );

  it.each(['', '..', 'a/b', 'a?b', undefined])('refuses the address or label %j', async (part) => {
    for (const parts of [
      [part, 'token'],
      ['0xabc', part],
    ]) {
      await expect(Reflect.apply(client.indexingStatus, client, parts)).rejects.toMatchObject({
        code: 'ERR_WEBHOOK_CONFIG',
      });
    }
    expect(service.seen).toEqual([]);
  });
});
