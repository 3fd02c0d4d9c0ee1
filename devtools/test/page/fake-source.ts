// A source of made-up deliveries for the page, without a service, a chain or a receiver.
import { createTestDelivery, sampleEventEmitted, sampleTransactionIncluded } from 'event-webhook-receiver/testing';
import { serviceHeaders, signDelivery } from 'event-webhook-receiver/verify';
import type { Explainer } from '../../src/confined/explainer.js';
import type { Attempt, DeliveryRecord } from '../../src/deliveries/delivery-record.js';
import { createFeed, type Feed } from '../../src/deliveries/feed.js';
import { HttpError } from '../../src/http.js';
import type { PageState } from '../../src/page/page-state.js';
import { type ServedPage, servePage } from '../../src/page/serve-page.js';

export const SECRET = 'whsec-of-the-fake-source';

/** What no page may take for anything but text. */
export const HOSTILE = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  '\u202Eevil\u202C',
  '"\'`{{window.pwned = 1}}',
  '&lt;b&gt;',
  '\u0000\u0007\u001B[31mred',
  'x'.repeat(2_000),
];
const LONG = 'y'.repeat(1_000_000);

export interface FakeSource extends ServedPage {
  readonly feed: Feed;
  /** More of the state. `stateChanged` tells the page. */
  readonly more: { -readonly [Key in keyof PageState]?: PageState[Key] };
  /** Puts one more delivery into the feed, as if it had just come. */
  deliver(): string;
}

/** Serves the page, in the mode emulate, over so many made-up deliveries. Every eighth is hostile with `hostile`. */
export async function startFakeSource({
  count = 100,
  port = 0,
  hostile = true,
  explainer,
}: {
  count?: number;
  port?: number;
  hostile?: boolean;
  explainer?: Explainer;
} = {}): Promise<FakeSource> {
  const feed = createFeed();
  const faults = { duplicate: false, reorder: false, delayMs: 0, wrongSignature: false, oldTimestamp: false };
  const webhooks: { id: number; label: string; url: string; subscriptions: string[] }[] = [
    { id: 1, label: 'shop', url: 'http://127.0.0.1:3000/webhooks', subscriptions: ['event.emitted'] },
  ];
  const more: FakeSource['more'] = {};
  let lastId = 0;

  function deliver(at = Date.now()): string {
    const record = made(++lastId, at, hostile, faults.wrongSignature ? 'wrong signature' : undefined);
    feed.put(record);
    return record.id;
  }
  for (let n = count; n > 0; n--) deliver(Date.now() - n * 1000);

  const page = await servePage({
    feed,
    directory: new URL('../../dist/cli/browser/', import.meta.url),
    port,
    explainer,
    headers: serviceHeaders,
    secretOf: () => SECRET,
    contracts: () =>
      new Map([[sampleEventEmitted().data.event.contract.address.toLowerCase(), { decimals: 18, symbol: 'TKN' }]]),
    state: () => ({
      mode: 'emulate',
      webhooks,
      faults,
      chain: {
        rpcUrl: 'http://127.0.0.1:8545',
        chainId: 31337,
      },
      service: { url: 'http://127.0.0.1:4000' },
      ...more,
    }),
    actions: {
      resend(record) {
        const attempt = { at: Date.now(), headers: record.attempts[0]?.headers ?? [], status: 200, durationMs: 7 };
        feed.put({ ...record, attempts: [...record.attempts, attempt], nextAttemptAt: undefined });
        return { id: record.id };
      },
      send({ rawBody }) {
        if (new TextDecoder().decode(rawBody).includes('refuse')) throw new HttpError(409, 'No webhook is registered.');
        const id = `sent-${++lastId}`;
        const now = new Date();
        const timestamp = Math.floor(now.getTime() / 1000);
        const { headers } = signDelivery(rawBody, { secret: SECRET, timestamp });
        feed.put({
          id,
          target: 'http://127.0.0.1:3000/webhooks',
          label: 'shop',
          rawBody,
          attempts: [{ at: now.getTime(), headers: Object.entries(headers), status: 200, durationMs: 5 }],
        });
        return { id };
      },
      register({ label, url }) {
        if (!/^https?:/.test(url)) throw new HttpError(400, 'The URL must start with https:// or http://.');
        const webhook = { id: webhooks.length + 1, label, url, subscriptions: ['event.emitted'] };
        webhooks.push(webhook);
        return { ...webhook, secret: 'whsec-shown-once-0123456789' };
      },
      remove(id) {
        const at = webhooks.findIndex((webhook) => webhook.id === id);
        if (at >= 0) webhooks.splice(at, 1);
        return at >= 0;
      },
      setFaults: (changes) => Object.assign(faults, changes),
      sample: () => ({ id: deliver() }),
    },
  });
  return { ...page, feed, more, deliver };
}

/** A delivery of an outcome that its number tells. */
function made(n: number, at: number, hostile: boolean, fault: string | undefined): DeliveryRecord {
  const odd = n === 16 ? LONG : HOSTILE[(n / 8) % HOSTILE.length];
  const text = hostile && n % 8 === 0 ? odd : undefined;
  const amount = String(BigInt(n) * 10n ** 18n);
  const emitted = (at: number) =>
    sampleEventEmitted(
      text === undefined
        ? { id: `event-${n}-${at}`, data: { triggeredAt: '2026-01-02T03:04:05Z' } }
        : {
            id: `event-${n}-${at}`,
            data: {
              event: {
                name: text,
                inputs: [{ name: text, value: text, hashed: false, type: 'string' }],
                contract: { label: text, addressLabel: text },
                rawFields: undefined,
              },
            },
          },
    );
  const items: unknown[] = n % 5 === 0 ? [sampleTransactionIncluded({ id: `tx-${n}` })] : [emitted(0)];
  if (n % 7 === 0) items.push(emitted(1), { id: 'x', event: 'block.mined' }, { id: 1, value: amount });
  const timestamp = Math.floor(at / 1000);
  const { rawBody: body, headers } = createTestDelivery(items, { secret: SECRET, timestamp });
  const lines = Object.entries({ Host: '127.0.0.1:3000', 'User-Agent': 'Go-http-client/1.1', ...headers });
  const attempt = (change: Partial<Attempt> = {}): Attempt => ({
    at,
    headers: lines,
    status: 200,
    durationMs: n % 90,
    ...change,
  });
  const attempts: Attempt[] = [attempt()];
  if (fault) attempts[0] = attempt({ status: 403, fault });
  else if (n % 9 === 0) attempts[0] = attempt({ status: 403 });
  else if (n % 11 === 0)
    attempts[0] = attempt({ status: undefined, code: 'ECONNREFUSED', reason: 'Nothing listens there.' });
  else if (n % 13 === 0) attempts.unshift(attempt({ status: 503 }));
  else if (n % 17 === 0) attempts[0] = { at, headers: lines };
  return {
    id: String(n),
    target: 'http://127.0.0.1:3000/webhooks',
    label: n % 3 === 0 ? 'shop' : 'ledger',
    rawBody: new TextEncoder().encode(body),
    attempts,
    nextAttemptAt: n % 11 === 0 ? at + 60_000 : undefined,
  };
}
