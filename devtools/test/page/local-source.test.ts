import { describe, expect, it, onTestFinished } from 'vitest';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import { localActions, localSecrets, recordOf } from '../../src/page/local-source.js';
import { createLocalService } from '../../src/service/index.js';
import { recordOf as sampleRecord } from '../deliveries/records.js';

async function serving() {
  const service = await createLocalService();
  onTestFinished(() => service.close());
  const first = service.register({ label: 'first', url: 'http://127.0.0.1:1/' });
  const second = service.register({ label: 'second', url: 'http://127.0.0.1:1/' });
  return { service, first, second };
}

const delivery = {
  ...{ id: '5', webhookId: 1, label: 'first', url: 'http://127.0.0.1:1/', rawBody: new TextEncoder().encode('[]') },
  ...{ attempts: [], nextAttemptAt: undefined, state: 'given-up' as const },
};

describe('a delivery of the local service', () => {
  it('that was given up before it was sent says so on the page', () => {
    const feed = createFeed();
    feed.put(recordOf(delivery, 7));
    const kept = feed.get('5') as KeptDelivery;
    expect(summaryOf(kept)).toMatchObject({ verdict: 'failed', code: 'GIVEN_UP', attempts: 1, at: 7 });
    expect(lastOf(kept).reason).toBe('Dropped before it was sent: the queue was full.');
  });

  it('has what was signed beside what was sent, if the last attempt changed a byte', () => {
    const attempts = [{ at: 1, headers: [], tampered: { at: 1, sent: 0x7c } }];
    const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
    const { rawBody, signedBody } = recordOf({ ...delivery, attempts }, 7);
    expect([text(rawBody), text(signedBody)]).toEqual(['[|', '[]']);
    expect(recordOf({ ...delivery, attempts: [...attempts, { at: 2, headers: [] }] }, 7).signedBody).toBeUndefined();
  });

  it('is shown with the attempts that it had', () => {
    const attempts = [{ at: 1, headers: [], status: 500 }];
    expect(recordOf({ ...delivery, attempts }, 7)).toMatchObject({ attempts, target: delivery.url, label: 'first' });
  });
});

describe('localSecrets', () => {
  it('gives the secret of the webhook, and those of the others by their labels', async () => {
    const { service, first, second } = await serving();
    const { secretOf, otherSecretsOf } = localSecrets(service);
    const of = (webhookId: number | undefined) => {
      const feed = createFeed();
      feed.put({ ...sampleRecord('1'), webhookId });
      return feed.get('1') as KeptDelivery;
    };
    expect(secretOf(of(first.id))).toBe(first.secret);
    expect(otherSecretsOf?.(of(first.id))).toEqual({ second: second.secret });
    expect(secretOf(of(99))).toBeUndefined();
    expect(secretOf(of(undefined))).toBeUndefined();
    expect(otherSecretsOf?.(of(undefined))).toEqual({ first: first.secret, second: second.secret });
  });
});

describe('localActions', () => {
  it('answers 404 for a delivery that is no longer kept', async () => {
    const { service } = await serving();
    const feed = createFeed();
    feed.put(recordOf(delivery, 7));
    const { resend } = localActions(service, () => ({}));
    expect(() => resend?.(feed.get('5') as KeptDelivery)).toThrow(
      expect.objectContaining({ status: 404, message: expect.stringMatching(/no longer keeps this delivery/) }),
    );
  });
});
