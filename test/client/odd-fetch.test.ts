import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebhookClient, type WebhookClientOptions } from '../../src/client/index.js';
import { createReceiver } from '../../src/index.js';
import { apiKey, type Entry, type FakeService, startFakeService } from './fake-service.js';

let service: FakeService;

beforeEach(async () => {
  service = await startFakeService();
});

afterEach(() => service.close());

const client = (options: Partial<WebhookClientOptions> = {}) =>
  createWebhookClient({ baseUrl: service.baseUrl, apiKey, random: () => 0, retries: 0, ...options });

describe('a custom fetch function', () => {
  it('that returns a response without an HTTP status is an error', async () => {
    const count = client({ fetch: async () => Response.error() }).count();
    await expect(count).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API', status: 0 });
    await expect(count).rejects.toThrow(
      'GET /webhooks/count: the answer has no valid HTTP status. Check baseUrl and the fetch function.',
    );
  });

  it.each<[string, unknown, string]>([
    ['a text', `no ${apiKey}`, 'no answer (the fetch function failed).'],
    ['an error that quotes the key', new Error(`Bearer ${apiKey} failed`), 'no answer (Bearer [API key] failed).'],
  ])('that rejects with %s is an error with the known cause', async (_, thrown, expected) => {
    const call = client({ fetch: () => Promise.reject(thrown) }).count();
    await expect(call).rejects.toThrow(`GET /webhooks/count: ${expected}`);
    await expect(call).rejects.toMatchObject({ code: 'ERR_WEBHOOK_API_UNREACHABLE', status: 503 });
  });
});

describe('recoverMissed', () => {
  const secret = 'whsec-of-this-test';
  const createdAt = '2026-01-02T03:04:05Z';
  const entry = (id: number, at = createdAt): Entry => ({
    id,
    eventType: 'event.emitted',
    data: { id },
    createdAt: at,
  });

  /** The ids of the events that a receiver is given, one list for each delivery. */
  function noting(answer: (ids: string[]) => number) {
    const given: string[][] = [];
    const receiver = createReceiver({ secret, toleranceSeconds: false, onEvent: () => {} });
    return {
      given,
      async handle({ rawBody }: { rawBody: unknown }) {
        const ids = JSON.parse(String(rawBody)).map(({ id }: { id: string }) => id) as string[];
        given.push(ids);
        // What a receiver answers to a body that is none, but for its status.
        const refused = await receiver.handle({ rawBody: '', signature: undefined, timestamp: undefined });
        return { ...refused, status: answer(ids) } as typeof refused;
      },
    };
  }

  it('leaves the second half of a batch that is too large when the receiver is busy with the first', async () => {
    service.logs.set(
      1,
      [1, 2, 3, 4].map((id) => entry(id)),
    );
    const { id } = await client().create({ label: 'orders', url: 'https://shop.example/' });
    const receiver = noting((ids) => (ids.length > 2 ? 413 : 503));
    const eventId = (each: { id: number }) => `${each.id}`;
    const recovery = await client().recoverMissed(id, receiver, { secret, eventId });
    expect(receiver.given).toEqual([
      ['1', '2', '3', '4'],
      ['1', '2'],
    ]);
    expect(recovery).toMatchObject({ found: 4, left: 4, stopped: { reason: 'busy', status: 503 } });
  });
});
