import { describe, expect, it, onTestFinished } from 'vitest';
import { localActions, localSecrets, recordOf } from '../../src/cli/local-source.js';
import { lastOf, summaryOf } from '../../src/deliveries/views.js';
import type { PageActions } from '../../src/page/page-actions.js';
import { createLocalService } from '../../src/service/index.js';
import { kept } from '../deliveries/records.js';

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
    const dropped = kept('5', recordOf(delivery, 7));
    expect(summaryOf(dropped)).toMatchObject({ verdict: 'failed', code: 'GIVEN_UP', attempts: 1, at: 7 });
    expect(lastOf(dropped).reason).toBe('Dropped before it was sent: the queue was full.');
  });

  it('has what the last attempt sent, if it changed a byte', () => {
    const attempts = [{ at: 1, headers: [], tampered: { at: 1, sent: 0x7c } }];
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    expect(text(recordOf({ ...delivery, attempts }, 7).rawBody)).toBe('[|');
    expect(text(recordOf({ ...delivery, attempts: [...attempts, { at: 2, headers: [] }] }, 7).rawBody)).toBe('[]');
  });
});

describe('localSecrets', () => {
  it('gives the secret of the webhook, and those of the others by their labels', async () => {
    const { service, first, second } = await serving();
    const { secretOf, otherSecretsOf } = localSecrets(service);
    const of = (webhookId: number | undefined) => kept('1', { webhookId });
    expect(secretOf(of(first.id))).toBe(first.secret);
    expect(otherSecretsOf?.(of(first.id))).toEqual({ second: second.secret });
    expect(secretOf(of(99))).toBeUndefined();
    expect(secretOf(of(undefined))).toBeUndefined();
    expect(otherSecretsOf?.(of(undefined))).toEqual({ first: first.secret, second: second.secret });
  });
});

async function acting(...labels: string[]) {
  const service = await createLocalService({ retries: { initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 } });
  onTestFinished(() => service.close());
  for (const label of labels) service.register({ label, url: 'http://127.0.0.1:1/' });
  const actions = localActions(service, () => ({ event: 'x' })) as Required<PageActions>;
  return { service, actions };
}

const refusal = (status: number, message: string) =>
  expect.objectContaining({ status, message: expect.stringContaining(message) });

describe('localActions', () => {
  it('answer 404 for a delivery that is no longer kept, and for one of a recording', async () => {
    const { actions } = await acting('a');
    expect(() => actions.resend(kept('5'))).toThrow(refusal(404, 'no longer keeps this delivery'));
    expect(() => actions.resend(kept('5', { recorded: true }))).toThrow(refusal(404, 'comes from a recording'));
  });

  it('send a body to the webhook of the edited delivery, or to the only one', async () => {
    const { service, actions } = await acting('a', 'b');
    const rawBody = new Uint8Array([1]);
    const from = kept('5', { webhookId: undefined });
    const send = (webhookId: number, bytes = rawBody) => actions.send({ rawBody: bytes, from: { ...from, webhookId } });
    expect(send(1)).toEqual({ id: '1' });
    expect(() => actions.send({ rawBody, from })).toThrow(refusal(409, 'Choose the webhook'));
    expect(() => send(7)).toThrow(refusal(404, 'No webhook has this id.'));
    expect(() => send(1, new Uint8Array(0))).toThrow(refusal(503, '1 byte to 10 MiB'));
    service.remove(1);
    expect(actions.send({ rawBody, from })).toEqual({ id: '2' });
    service.remove(2);
    expect(() => actions.send({ rawBody, from })).toThrow(refusal(409, 'No webhook is registered.'));
  });

  it('send no sample that nobody would get', async () => {
    const { service, actions } = await acting();
    expect(() => actions.sample()).toThrow(refusal(409, 'No webhook is registered.'));
    const url = 'http://127.0.0.1:1/';
    service.register({ label: 'a', url, subscriptions: ['transaction.included'] });
    expect(() => actions.sample()).toThrow(refusal(409, 'No webhook subscribes to event.emitted'));
    service.register({ label: 'b', url });
    expect(actions.sample()).toEqual({ event: 'x' });
  });

  it('tell the errors of the service in its words', async () => {
    const { service, actions } = await acting('a');
    expect(() => actions.setFaults({ delayMs: -1 })).toThrow(refusal(400, '`delayMs` must be a number'));
    expect(() => actions.register({ label: 'a', url: 'http://127.0.0.1:1/' })).toThrow(refusal(409, 'this label'));
    await service.close();
    expect(() => actions.remove(1)).toThrow(refusal(503, 'The local service is closed.'));
  });
});
