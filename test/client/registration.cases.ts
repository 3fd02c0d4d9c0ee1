import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from '../../src/client/index.js';

/** A service on this machine, without any webhook. */
export interface RegistrationApi extends Pick<WebhookClientOptions, 'baseUrl' | 'apiKey'> {
  close(): Promise<unknown>;
}

/** What a client does with a service that has the registration API, whichever it is. */
export function describeRegistration(title: string, start: () => Promise<RegistrationApi>): void {
  describe(title, () => {
    let api: RegistrationApi;
    let client: WebhookClient;

    beforeAll(async () => {
      api = await start();
      client = createWebhookClient({ baseUrl: api.baseUrl, apiKey: api.apiKey });
    });

    afterAll(() => api.close());

    const all = async () => {
      const found = [];
      for await (const webhook of client.list()) found.push(webhook);
      return found;
    };
    const url = 'https://shop.example/webhooks';

    it('creates a webhook for both kinds of events, and finds it again with get and list', async () => {
      const created = await client.create({ label: 'orders', url });
      expect(created).toMatchObject({ label: 'orders', url });
      expect(created.subscriptions).toEqual(['event.emitted', 'transaction.included']);
      expect(created.secret.length).toBeGreaterThan(0);
      expect(await client.get(created.id)).toMatchObject({ id: created.id, label: 'orders', url });
      expect((await all()).map(({ id }) => id)).toEqual([created.id]);
      expect(await client.count()).toBe(1);
      await client.remove(created.id);
    });

    it('changes only the given keys', async () => {
      const { id } = await client.create({ label: 'orders', url, subscriptions: ['event.emitted'] });
      const changed = await client.update(id, { url: `${url}/2` });
      expect(changed).toMatchObject({ id, label: 'orders', url: `${url}/2`, subscriptions: ['event.emitted'] });
      const again = await client.update(id, { label: 'sales', subscriptions: ['transaction.included'] });
      expect(again).toMatchObject({ label: 'sales', url: `${url}/2`, subscriptions: ['transaction.included'] });
      expect(await client.get(id)).toMatchObject({ label: 'sales', url: `${url}/2` });
      await client.remove(id);
    });

    it('removes a webhook, after which get, update and remove reject with 404', async () => {
      const { id } = await client.create({ label: 'orders', url });
      await client.remove(id);
      const gone = { name: 'WebhookApiError', code: 'ERR_WEBHOOK_API', status: 404 };
      await expect(client.get(id)).rejects.toMatchObject(gone);
      await expect(client.update(id, { label: 'x' })).rejects.toMatchObject(gone);
      await expect(client.remove(id)).rejects.toMatchObject(gone);
      await expect(client.deliveryCount(id)).rejects.toMatchObject(gone);
      expect(await client.count()).toBe(0);
    });

    it('lists webhooks, also while they are removed', async () => {
      const ids: number[] = [];
      for (let n = 0; n < 7; n++) ids.push((await client.create({ label: `number-${n}`, url })).id);
      expect((await all()).map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids);
      for await (const { id } of client.list()) await client.remove(id);
      expect(await client.count()).toBe(0);
    });

    it('ensures a webhook by its label: creates it, finds it, and changes it where it differs', async () => {
      const first = await client.ensure({ label: 'orders', url });
      expect(first).toMatchObject({ created: true, updated: false, webhook: { label: 'orders', url } });
      expect(first.webhook.secret).toEqual(expect.any(String));
      const second = await client.ensure({ label: 'orders', url });
      expect(second).toMatchObject({ created: false, updated: false, webhook: { id: first.webhook.id } });
      const third = await client.ensure({ label: 'orders', url: `${url}/2`, subscriptions: ['event.emitted'] });
      expect(third).toMatchObject({ created: false, updated: true });
      expect(third.webhook).toMatchObject({ id: first.webhook.id, url: `${url}/2`, subscriptions: ['event.emitted'] });
      expect(await client.count()).toBe(1);
      await client.remove(first.webhook.id);
    });

    it('has an empty delivery log for a new webhook', async () => {
      const { id } = await client.create({ label: 'orders', url });
      expect(await client.deliveryCount(id)).toBe(0);
      for await (const entry of client.deliveries(id)) expect(entry).toBe('none');
      await client.remove(id);
    });

    it('says what the service says of a key that it does not know', async () => {
      const stranger = createWebhookClient({ baseUrl: api.baseUrl, apiKey: 'another-key' });
      const error = await stranger.count().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'ERR_WEBHOOK_API' });
      expect([401, 403]).toContain((error as { status: number }).status);
    });
  });
}
