import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isWebhookError, multibaasHeaders, parseDelivery, parseEvent, verifySignature } from '../../src/index.js';
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from '../../src/testing/index.js';
import { fc } from '../fixtures/property.js';

const secret = 'whsec-test';
const timestamp = '1699582290';
const samples = [
  ['sampleEventEmitted', sampleEventEmitted, 'event.emitted'],
  ['sampleTransactionIncluded', sampleTransactionIncluded, 'transaction.included'],
] as const;

describe.each(samples)('%s', (_, sample, kind) => {
  it('gives a valid event that is the same after its way over the wire', () => {
    const event = sample();
    expect(event.event).toBe(kind);
    expect(parseEvent(event)).toEqual(event);
    const { rawBody: body } = createTestDelivery([event], { secret });
    expect(parseDelivery(body)).toEqual([{ status: 'event', event }]);
  });

  it('gives each event its own id, a UUID', () => {
    const ids = Array.from({ length: 100 }, () => sample().id);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('takes an id from its overrides', () => {
    expect(sample({ id: 'mine' }).id).toBe('mine');
    expect(sample({ id: 'mine' })).toEqual(sample({ id: 'mine' }));
  });
});

describe('overrides', () => {
  it('change what they name, however deep, and nothing else', () => {
    const event = sampleEventEmitted({ id: 'x', data: { event: { name: 'Mint', contract: { label: 'other' } } } });
    const plain = sampleEventEmitted({ id: 'x' });
    plain.data.event.name = 'Mint';
    plain.data.event.contract = { ...plain.data.event.contract, label: 'other' };
    expect(event).toEqual(plain);
  });

  it('replace an array whole', () => {
    const inputs = [{ name: 'only', value: '1', hashed: false, type: 'uint256' }];
    expect(sampleEventEmitted({ data: { event: { inputs } } }).data.event.inputs).toEqual(inputs);
    expect(sampleEventEmitted({ data: { event: { inputs: [] } } }).data.event.inputs).toEqual([]);
  });

  it('leave a key out on the wire where they are undefined, and send null where they are null', () => {
    const event = sampleEventEmitted({ data: { event: { rawFields: undefined }, transaction: null } });
    const [sent] = JSON.parse(createTestDelivery([event], { secret }).rawBody) as [{ data: { event: object } }];
    expect(Object.keys(sent.data.event)).toEqual(['name', 'signature', 'inputs', 'contract', 'indexInLog']);
    expect(sent.data).toHaveProperty('transaction', null);
    expect(parseEvent(sent)).toEqual(sent);
  });

  it('keep __proto__ and constructor as data', () => {
    const overrides = JSON.parse('{"data":{"__proto__":{"polluted":true},"constructor":{"polluted":true}}}') as object;
    const { data } = sampleTransactionIncluded(overrides);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.entries(data).slice(-2)).toEqual([
      ['__proto__', { polluted: true }],
      ['constructor', { polluted: true }],
    ]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('leave the overrides themselves and the next sample alone', () => {
    const overrides = Object.freeze({ id: 'x', data: Object.freeze({ triggeredAt: 'then' }) });
    sampleEventEmitted(overrides).data.event.name = 'changed';
    expect(overrides).toEqual({ id: 'x', data: { triggeredAt: 'then' } });
    expect(sampleEventEmitted().data.event.name).toBe('Transfer');
  });
});

describe('the transaction hash of a sample', () => {
  const hashOf = {
    'event.emitted': (id: string) => {
      const { transaction, event } = sampleEventEmitted({ id }).data;
      expect(JSON.parse(event.rawFields ?? '').transactionHash).toBe(transaction?.txHash);
      return transaction?.txHash;
    },
    'transaction.included': (id: string) => sampleTransactionIncluded({ id }).data.tx?.hash,
  };
  const ids = [
    ...['', '0', '00', '\0', 'a', 'A', 'é', 'e\u0301', '\ud800', '\ud801', '\ufffd', '"\\ud800"', '\u0101', '\x01\x01'],
    ...['1'.repeat(64), `${'1'.repeat(64)}a`, `${'1'.repeat(64)}b`, 'x'.repeat(100_000)],
  ];

  it.each(Object.entries(hashOf))('of an %s follows its whole id', (_, hash) => {
    const hashes = ids.map(hash);
    for (const each of hashes) expect(each).toMatch(/^0x[0-9a-f]{64}$/);
    expect(new Set(hashes).size).toBe(ids.length);
    expect(ids.map(hash)).toEqual(hashes);
  });

  it.each(Object.entries(hashOf))('of an %s differs for ids that differ at all', (_, hash) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.string({ minLength: 1 }), (id, place, more) => {
        const at = place % (id.length + 1);
        expect(hash(id.slice(0, at) + more + id.slice(at))).not.toBe(hash(id));
      }),
    );
  });
});

describe('createTestDelivery', () => {
  it('signs what it sends', () => {
    const {
      rawBody: body,
      headers,
      signature,
      ...rest
    } = createTestDelivery([sampleEventEmitted()], { secret, timestamp });
    expect(rest.timestamp).toBe(timestamp);
    expect(verifySignature(body, signature, timestamp, secret)).toBe(true);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Signature': signature,
      'X-Service-Timestamp': timestamp,
    });
  });

  it('also sends values that are not events', () => {
    expect(createTestDelivery([], { secret }).rawBody).toBe('[]');
    expect(createTestDelivery([null, 7, { id: 1 }], { secret }).rawBody).toBe('[null,7,{"id":1}]');
  });

  it.each([{ secret: '' }, { secret, timestamp: 'now' }, { secret, timestmp: '1' } as { secret: string }])(
    'throws ConfigError for the options %j',
    (options) => {
      expect(() => createTestDelivery([], options)).toThrow(
        expect.toSatisfy((error) => isWebhookError(error) && error.code === 'ERR_WEBHOOK_CONFIG'),
      );
    },
  );

  it('gives as many requests as are asked for, each with its own body', async () => {
    const delivery = createTestDelivery([sampleEventEmitted()], { secret, timestamp, headers: multibaasHeaders });
    for (const url of [undefined, new URL('http://example.test/hooks')]) {
      const request = url === undefined ? delivery.request() : delivery.request(url);
      expect(request).toMatchObject({ method: 'POST', url: String(url ?? 'http://localhost/webhooks') });
      expect(request.headers.get('x-multibaas-signature')).toBe(delivery.signature);
      expect(request.headers.get('x-multibaas-timestamp')).toBe(timestamp);
      expect(request.headers.get('content-type')).toBe('application/json');
      expect(await request.text()).toBe(delivery.rawBody);
    }
  });

  it('sends itself to a server', async () => {
    const received: unknown[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk as Uint8Array);
      received.push(request.method, request.url, request.headers['x-service-signature'], String(Buffer.concat(chunks)));
      response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const delivery = createTestDelivery([sampleTransactionIncluded()], { secret });
      const response = await delivery.send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
      expect(response.status).toBe(204);
      expect(received).toEqual(['POST', '/hooks', delivery.signature, delivery.rawBody]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
