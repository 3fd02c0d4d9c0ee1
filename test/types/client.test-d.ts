import { assertType, describe, expectTypeOf, test } from 'vitest';
import { type CreatedWebhook, createWebhookClient, type Webhook, type WebhookClient } from '../../src/client/index.js';
import type { Receiver } from '../../src/index.js';

declare const client: WebhookClient;
declare const receiver: Receiver;

test('createWebhookClient takes a key that is text or a function, and the global fetch', () => {
  createWebhookClient({ baseUrl: 'https://service.example', apiKey: 'key', fetch, timeoutMs: undefined });
  createWebhookClient({ baseUrl: 'https://service.example', apiKey: async () => 'key' });
  // @ts-expect-error an environment variable may be unset
  createWebhookClient({ baseUrl: 'https://service.example', apiKey: process.env.API_KEY });
  // @ts-expect-error there is no such option
  createWebhookClient({ baseUrl: 'https://service.example', apiKey: 'key', timeout: 1 });
});

describe('a client', () => {
  test('gives the secret for sure only where a webhook was created', () => {
    expectTypeOf(client.create).returns.resolves.toEqualTypeOf<CreatedWebhook>();
    expectTypeOf<CreatedWebhook['secret']>().toEqualTypeOf<string>();
    expectTypeOf<Webhook['secret']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Webhook['owner']>().toEqualTypeOf<unknown>();
  });

  test('takes kinds of events that there are', () => {
    assertType(client.create({ label: 'orders', url: 'https://shop.example', subscriptions: ['event.emitted'] }));
    assertType(client.create({ label: 'orders', url: 'https://shop.example', subscriptions: null }));
    // @ts-expect-error a kind that there is not
    assertType(client.create({ label: 'orders', url: 'https://shop.example', subscriptions: ['event.emited'] }));
    // @ts-expect-error null leaves the key out at creation alone
    assertType(client.update(1, { subscriptions: null }));
  });
});
