import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from '../../src/client/index.js';

/** What each attempt is answered with, the last for all that follow; and when the attempts came. */
function fetching(...answers: (() => Response | Promise<Response>)[]) {
  const at: number[] = [];
  const methods: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    at.push(Date.now());
    methods.push(request.method);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer?.() ?? new Response();
  };
  return { at, methods, fetch };
}

const orders = { label: 'orders', url: 'https://shop.example/webhooks' };
const json = (value: unknown) => () => new Response(JSON.stringify(value));
const ok = json({ status: 200, message: '', result: { id: 1, ...orders } });
const failing =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('{"message":"later"}', { status, headers });
const network = () => Promise.reject(new TypeError('fetch failed'));
const never = () => new Promise<Response>(() => {});

const client = (options: Partial<WebhookClientOptions>) =>
  createWebhookClient({ baseUrl: 'https://service.example', apiKey: 'key', random: () => 1, ...options });

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** How a call ends, with all timers run as they are due. */
async function ended(call: Promise<unknown>): Promise<unknown> {
  let done = false;
  const settled = call
    .catch((error: unknown) => error)
    .finally(() => {
      done = true;
    });
  while (!done) {
    await vi.advanceTimersByTimeAsync(0);
    vi.advanceTimersToNextTimer();
  }
  return settled;
}

describe('what may pass', () => {
  it.each([408, 429, 500, 502, 503, 504])('a status of %i, is tried again', async (status) => {
    const { fetch, at } = fetching(failing(status), ok);
    expect(await ended(client({ fetch }).get(1))).toMatchObject({ id: 1 });
    expect(at.length).toBe(2);
  });

  it.each([
    ['a network that fails', network],
    ['a service that hangs', never],
  ])('%s, is tried again', async (_, answer) => {
    const { fetch, at } = fetching(answer, ok);
    expect(await ended(client({ fetch }).get(1))).toMatchObject({ id: 1 });
    expect(at.length).toBe(2);
  });

  it.each([400, 401, 403, 404, 409, 413, 418, 422, 501])('but not a status of %i', async (status) => {
    const { fetch, at } = fetching(failing(status), ok);
    expect(await ended(client({ fetch }).get(1))).toMatchObject({ status });
    expect(at.length).toBe(1);
  });

  it('is retried as often as `retries` says, then rejects', async () => {
    const { fetch, at } = fetching(failing(503));
    expect(await ended(client({ fetch, retries: 4 }).get(1))).toMatchObject({ status: 503, serviceMessage: 'later' });
    expect(at.length).toBe(5);
    const none = fetching(network);
    expect(String(await ended(client({ fetch: none.fetch, retries: 0 }).get(1)))).not.toContain('attempts');
    expect(none.at.length).toBe(1);
    const twice = fetching(network);
    expect(String(await ended(client({ fetch: twice.fetch, retries: 1 }).get(1)))).toContain('in 2 attempts');
  });
});

describe('an attempt', () => {
  it('ends after timeoutMs, its body with it', async () => {
    const hanging = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    for (const answer of [never, hanging]) {
      const { fetch } = fetching(answer);
      const start = Date.now();
      const error = await ended(client({ fetch, timeoutMs: 1234, retries: 0 }).get(1));
      expect(String(error)).toContain('no answer within 1234 ms');
      expect(Date.now() - start).toBe(1234);
    }
  });

  it('does not stand for the one after it when its answer comes late', async () => {
    const other = json({ status: 200, message: '', result: { id: 99, ...orders } });
    for (let steps = 0; steps < 20; steps++) {
      let late: (response: Response) => void = () => {};
      const first = () =>
        new Promise<Response>((resolve) => {
          late = resolve;
        });
      const second = async () => {
        const after = async () => {
          for (let step = 0; step < steps; step++) await undefined;
          late(other());
        };
        void after();
        return ok();
      };
      const { fetch } = fetching(first, second);
      expect(await ended(client({ fetch }).get(1)), `${steps} steps later`).toMatchObject({ id: 1 });
    }
  });

  it('is not sent when its key comes late', async () => {
    const { fetch, at } = fetching(ok);
    const apiKey = () => new Promise<string>((resolve) => setTimeout(resolve, 20_000, 'key'));
    const error = await ended(client({ fetch, apiKey, retries: 0 }).get(1));
    expect(error).toMatchObject({ code: 'ERR_WEBHOOK_API_UNREACHABLE' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(at).toEqual([]);
  });
});

describe('the pauses', () => {
  const pauses = (at: readonly number[]) => at.slice(1).map((each, index) => each - Number(at[index]));

  it('double up to ten seconds', async () => {
    const { fetch, at } = fetching(failing(500));
    await ended(client({ fetch, retries: 7 }).get(1));
    expect(pauses(at)).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000]);
  });

  it.each([
    ['seconds', '7', 7000],
    ['a date', 'Thu, 01 Jan 1970 00:00:09 GMT', 9000],
    ['no time at all', '0', 0],
  ])('are as long as a Retry-After in %s says', async (_, after, pause) => {
    for (const status of [429, 503]) {
      vi.setSystemTime(0);
      const { fetch, at } = fetching(failing(status, { 'retry-after': after }), ok);
      await ended(client({ fetch }).get(1));
      expect(pauses(at)).toEqual([pause]);
    }
  });

  it('end when the service asks for a longer wait than the option allows', async () => {
    for (const after of ['31', '1000000000', 'Fri, 01 Jan 2100 00:00:00 GMT']) {
      const { fetch, at } = fetching(failing(429, { 'retry-after': after }), ok);
      expect(await ended(client({ fetch }).get(1))).toMatchObject({ status: 429 });
      expect(at.length).toBe(1);
    }
    const { fetch, at } = fetching(failing(429, { 'retry-after': '31' }), ok);
    await ended(client({ fetch, maxRetryAfterSeconds: 31 }).get(1));
    expect(pauses(at)).toEqual([31_000]);
  });
});

describe('what is tried again', () => {
  const count = json({ status: 200, message: '', result: 1 });
  const calls: [string, string, (each: WebhookClient) => Promise<unknown>, () => Response][] = [
    ['get', 'GET', (each) => each.get(1), ok],
    ['count', 'GET', (each) => each.count(), count],
    ['remove', 'DELETE', (each) => each.remove(1), ok],
  ];

  it.each(calls)('is %s', async (_, method, call, answer) => {
    const { fetch, methods } = fetching(failing(503), network, answer);
    expect(await ended(call(client({ fetch })))).not.toBeInstanceOf(Error);
    expect(methods).toEqual([method, method, method]);
  });

  it.each([
    ['a status of 429', failing(429, { 'retry-after': '0' })],
    ['a status of 503', failing(503)],
    ['the network', network],
    ['a time-out', never],
  ])('is never a create, whatever failed: %s', async (_, answer) => {
    const { fetch, at } = fetching(answer, ok);
    expect(await ended(client({ fetch, retries: 5 }).create(orders))).toBeInstanceOf(Error);
    expect(at.length).toBe(1);
  });
});

it('takes a webhook for removed when the attempt before removed it and its answer was lost', async () => {
  const { fetch } = fetching(network, failing(404));
  expect(await ended(client({ fetch }).remove(1))).toBeUndefined();
  const never = fetching(failing(404));
  expect(await ended(client({ fetch: never.fetch }).remove(1))).toMatchObject({ status: 404 });
});
