import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCourier } from '../../src/service/courier.js';
import type { Delivery } from '../../src/service/delivery.js';
import { type Faults, NO_FAULTS } from '../../src/service/faults.js';
import { resolveOptions } from '../../src/service/options.js';
import { apply, emptyState, type WebhookState } from '../../src/service/state.js';

const delivery = (id: number): Delivery => ({
  ...{ id, webhookId: 1, body: new TextEncoder().encode('[]'), events: 1, firstEvent: id, createdAt: 0 },
  ...{ attempts: [], failures: 0, state: 'pending' },
});

/** A courier whose receiver answers 200, and the ids of the deliveries in the order in which they were sent. */
function delivering({
  faults = {},
  afterAttempt = () => {},
}: {
  faults?: Partial<Faults>;
  afterAttempt?: () => void;
} = {}) {
  const state = emptyState();
  const about = { label: 'a', url: 'http://127.0.0.1:1/', subscriptions: [], secret: 's', failedCalls: 0 };
  apply(state, { webhook: { id: 1, createdAt: '', updatedAt: '', ...about } });
  const sent: number[] = [];
  const send = vi.fn(async () => ({ status: 200, durationMs: 1, connected: true }));
  const courier = createCourier(state.webhooks.get(1) as WebhookState, {
    options: resolveOptions({}),
    sender: { send, close() {} },
    faults: () => ({ ...NO_FAULTS, ...faults }),
    record(change) {
      sent.push(...(change.deliveries ?? []).map(({ id }) => id));
      apply(state, change);
      afterAttempt();
    },
    notify() {},
  });
  const dropped = (id: number) => {
    const webhook = state.webhooks.get(1);
    webhook?.deliveries.delete(id);
    webhook?.pending.delete(id);
  };
  return { courier, send, sent, dropped, add: (id: number) => void apply(state, { deliveries: [delivery(id)] }) };
}

describe('a courier', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([0, 1, 2, 3, 4, 5, 6])('sends a delivery enqueued %i microtasks after the last one', async (ticks) => {
    const later = async () => {
      for (let left = ticks; left > 0; left--) await undefined;
      if (sent.length > 1) return;
      add(2);
      courier.wake();
    };
    const { courier, sent, add } = delivering({ afterAttempt: () => void later() });
    add(1);
    courier.wake();
    await courier.idle();
    await new Promise(setImmediate);
    await courier.idle();
    expect(sent).toEqual([1, 2]);
  });

  it('records nothing of a delivery that was dropped while it was sent', async () => {
    const { courier, send, sent, dropped, add } = delivering();
    send.mockImplementationOnce(async () => {
      dropped(1);
      add(2);
      return { status: 200, durationMs: 1, connected: true };
    });
    add(1);
    courier.wake();
    await courier.idle();
    expect(sent).toEqual([2]);
  });

  it('sends a delivery that it holds back for a later one after two seconds when there is none', async () => {
    vi.useFakeTimers();
    const { courier, sent, add } = delivering({ faults: { reorder: true } });
    add(1);
    courier.wake();
    await vi.advanceTimersByTimeAsync(1999);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([1]);
  });
});
