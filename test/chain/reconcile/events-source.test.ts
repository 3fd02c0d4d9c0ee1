import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsSource } from '../../../src/chain/index.js';
import { createWebhookClient, type WebhookClient } from '../../../src/client/index.js';
import { logIdentity, rawLog } from '../../../src/evm/index.js';
import { type EventEmitted, parseEventEmitted } from '../../../src/index.js';
import { sampleEventEmitted } from '../../../src/testing/index.js';
import { apiKey, type FakeService, startFakeService } from '../../client/fake-service.js';
import { chainId, readAll } from './reconciling.js';

let service: FakeService;
let client: WebhookClient;
const token = { address: '0xF9450D254A66ab06b30Cfa9c6e7AE1B7598c7172', label: 'sampletoken' };

beforeEach(async () => {
  service = await startFakeService();
  client = createWebhookClient({ baseUrl: service.baseUrl, apiKey, retries: 0 });
  Object.assign(service.chain, { chainID: chainId, blockNumber: 20 });
  service.indexed.set(token.address.toLowerCase(), { latestBlockNumber: 20, isProcessingPastLogs: false });
});

afterEach(() => service.close());

/** An event of a block, as delivered. */
function eventOf(block: number, index = 0, address = token.address): EventEmitted {
  const sample = sampleEventEmitted({ id: `wire-${block}-${index}` });
  const blockHash = `0x${String(block).padStart(64, '0')}`;
  const { rawFields, contract } = sample.data.event;
  const fields = { ...JSON.parse(String(rawFields)), blockNumber: `0x${block.toString(16)}`, blockHash };
  return sampleEventEmitted({
    id: sample.id,
    data: {
      triggeredAt: new Date(Date.now() - 60_000).toISOString(),
      event: {
        rawFields: JSON.stringify({ ...fields, address: address.toLowerCase(), logIndex: `0x${index.toString(16)}` }),
        indexInLog: index,
        contract: { ...contract, address },
      },
      transaction: { blockNumber: block, blockHash },
    },
  });
}

const open = (options: object = {}) =>
  eventsSource(client, { contracts: [token], confirmations: 1, chainId, ...options });
const placesOf = async (options?: object, from = 0) =>
  (await readAll(open(options), from)).chunks.map(({ entries }) =>
    entries.map(
      ({ event }) => `${rawLog(event as EventEmitted)?.blockNumber}:${rawLog(event as EventEmitted)?.logIndex}`,
    ),
  );

describe('eventsSource', () => {
  it('reads the events of its contracts by block and place, in whatever order the service has them', async () => {
    const other = `0x${'12'.repeat(20)}`;
    const events = [eventOf(7, 1), eventOf(3), eventOf(7, 0), eventOf(5, 0, other), eventOf(12)];
    service.stored.push(...events.map(({ data }) => data));
    expect(await placesOf()).toEqual([['3:0', '7:0', '7:1', '12:0']]);
    expect(await placesOf({}, 4)).toEqual([['7:0', '7:1', '12:0']]);
    expect((await readAll(open(), 4, 11)).events).toHaveLength(2);
    service.indexed.set(other, { latestBlockNumber: 20, isProcessingPastLogs: false });
    const both = { contracts: [token, { address: other, label: 'other' }] };
    expect(await placesOf(both)).toEqual([['3:0', '5:0', '7:0', '7:1', '12:0']]);
  });

  it('has events that match the schema, with the log that was delivered', async () => {
    const event = eventOf(7, 2);
    service.stored.push(event.data);
    const [read] = (await readAll(open())).events as EventEmitted[];
    expect(parseEventEmitted(read)).toEqual({ ...event, id: expect.stringMatching(/^events:127.*:0x0+7:0x.*:2$/) });
    expect(logIdentity(read as EventEmitted, { chainId })).toBe(logIdentity(event, { chainId }));
  });

  it.each([
    ['the blocks that lack confirmations', { blockNumber: 20 }, { latestBlockNumber: 20 }, 17],
    ['what the service has not stored yet', { blockNumber: 20 }, { latestBlockNumber: 9 }, 9],
    ['everything while the service reads past blocks', { blockNumber: 20 }, { isProcessingPastLogs: true }, -1],
    ['everything of a chain that is too short', { blockNumber: 2 }, {}, -1],
  ])('leaves %s for later', async (_, chain, indexing, end) => {
    Object.assign(service.chain, chain);
    Object.assign(service.indexed.get(token.address.toLowerCase()) ?? {}, indexing);
    const { signal } = new AbortController();
    const { blockNumber: head } = service.chain;
    expect(await open({ confirmations: 4 }).open({ signal })).toEqual({ chainId, end, head });
  });

  it('refuses a service of another chain, and leaves out events that the service did not filter', async () => {
    await expect(placesOf({ chainId: 5 })).rejects.toThrow(`The service reads chain ${chainId} instead of 5.`);
    const [mine, others] = [eventOf(3).data, eventOf(4, 0, `0x${'12'.repeat(20)}`).data];
    const unfiltered = {
      ...client,
      events: async function* () {
        yield* [mine, others];
      },
    };
    const source = eventsSource(unfiltered as never, { contracts: [token], confirmations: 1 });
    expect((await readAll(source)).events).toHaveLength(1);
  });

  it('reads many events in chunks of bounded size, and no block in two of them', async () => {
    for (let block = 1; block <= 20; block++)
      for (let index = 0; index < block % 4; index++) service.stored.unshift(eventOf(block, index).data);
    const chunks = await placesOf({ chunkSize: 5, pageSize: 4 });
    expect(chunks.flat()).toEqual((await placesOf()).flat());
    expect(chunks.flat()).toHaveLength(30);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(5);
    await expect(placesOf({ chunkSize: 2 })).rejects.toThrow('Position 3 has more than 2 events. Raise `chunkSize`.');
  });

  it.each<[string, object]>([
    ['contracts', { contracts: [] }],
    ['confirmations', { confirmations: 0 }],
    ['contracts', { contracts: [{ address: token.address }] }],
    ['contracts', { contracts: [{ address: '0x12', label: 'token' }] }],
    ['chainId', { chainId: '1' }],
    ['contract', { contract: token }],
  ])('refuses the option %s', (name, options) => {
    expect(() => open(options)).toThrow(
      expect.objectContaining({ code: 'ERR_WEBHOOK_CONFIG', message: expect.stringContaining(`\`${name}\``) }),
    );
  });
});
