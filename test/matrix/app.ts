import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { AnyErrorCode } from '../../src/errors.js';
import { createReceiver, type HeaderNames, type ReceiverOptions } from '../../src/index.js';
import type { OnEventOptions } from '../../src/receiver/options.js';
import { HARMLESS_HEADERS, STATUSES } from './cases/effects.js';
import { Log } from './cases/waiting.js';
import { type Delivery, framed, headersOf, now, SECRET, sign } from './deliveries.js';
import { type Target, verifierOptions } from './targets.js';
import { type Answer, type HeaderList, Wire } from './wire.js';

export { Log };

export type App = Awaited<ReturnType<typeof startApp>>;

/** Starts an adapter behind a real server. What it started ends with the test. */
export async function startApp(target: Target, settings: Partial<OnEventOptions> = {}) {
  /** Ids of the events that reached user code. */
  const seen = new Log<string>();
  const errors = new Log<AnyErrorCode>();
  const { onEvent, ...rest } = settings;
  const options: ReceiverOptions = {
    secret: SECRET,
    now,
    ...rest,
    onEvent(event, context) {
      seen.add(event.id);
      return onEvent?.(event, context);
    },
    onError: ({ code }) => errors.add(code),
  };
  const receiver = createReceiver(options);
  const listener = await target.listener({
    receiver,
    options: verifierOptions(options),
    verified: (items) => {
      for (const item of items) if (item.status === 'event') seen.add(item.event.id);
    },
  });
  const { port, requests } = await serve(listener);
  // Resolves only when nothing is in flight any more, so that whatever leaks a place makes its test time out.
  onTestFinished(async () => void (await receiver.drain({ timeoutMs: 5000 })));
  /** Sends bytes that make a whole request, and checks what has to hold for every answer and its connection. */
  const exchange = async (...pieces: readonly Uint8Array[]) => {
    const wire = await Wire.open(port);
    const sending = wire.send(...pieces);
    const answer = expectAnswer(await wire.answer());
    await sending;
    if (answer.status !== 200) await expectUsableOrClosed(wire, answer, options.headers);
    wire.end();
    return answer;
  };
  return {
    port,
    receiver,
    seen,
    errors,
    requests,
    exchange,
    /** Sends a whole delivery on a new connection. */
    post: (delivery: Delivery, headers: HeaderList = headersOf(delivery)) => exchange(framed(delivery, headers)),
  };
}

/** Serves on a free port until the test ends. */
export async function serve(listener: RequestListener): Promise<{ port: number; requests: Log<string | undefined> }> {
  const requests = new Log<string | undefined>();
  const server = createServer(listener);
  server.on('request', ({ method }) => requests.add(method));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

/** Checks what has to hold for every answer: a status of the table, and nothing beside it that says more. */
export function expectAnswer(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new Error('The connection closed without an answer.');
  expect(STATUSES).toContain(answer.status);
  expect(answer.body).toBe('');
  for (const name of answer.headers.keys()) expect(name).toMatch(HARMLESS_HEADERS);
  return answer;
}

/** After a whole request was refused: the next one on the connection is answered, or the connection is closed. */
async function expectUsableOrClosed(wire: Wire, answer: Answer, names: HeaderNames | undefined): Promise<void> {
  if (answer.headers.get('connection') === 'close') {
    wire.end();
    await wire.closed();
    return;
  }
  // A signed empty array is genuine and reaches no handler, so it is 200 whatever the options, or 503 again.
  const probe = sign('[]');
  await wire.send(framed(probe, headersOf(probe, names)));
  const next = await wire.answer();
  if (next !== undefined) expect(answer.status === 503 ? [200, 503] : [200]).toContain(next.status);
}

/** Fails the file when anything in it left a rejection or an exception unhandled. */
export function expectNothingUnhandled(): void {
  const unhandled: unknown[] = [];
  const record = (error: unknown) => unhandled.push(error);
  beforeAll(() => {
    process.on('unhandledRejection', record).on('uncaughtException', record);
  });
  afterAll(async () => {
    // Rejections are reported after the microtasks in which they went unhandled.
    await new Promise(setImmediate);
    process.off('unhandledRejection', record).off('uncaughtException', record);
    expect(unhandled).toEqual([]);
  });
}
