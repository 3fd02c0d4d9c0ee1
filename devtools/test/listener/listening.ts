import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import { onTestFinished } from 'vitest';
import { createFeed, type KeptDelivery } from '../../src/deliveries/feed.js';
import { lastOf } from '../../src/deliveries/views.js';
import { type ListenerOptions, startListener } from '../../src/listener/listener.js';

export const SECRET = 'whsec-of-the-listener';
export const signed = (events: readonly unknown[] = [sampleEventEmitted()], secret = SECRET) => {
  const { rawBody: body, headers } = createTestDelivery(events, { secret });
  return { method: 'POST', body, headers };
};

export async function listen(options: Partial<ListenerOptions> = {}) {
  const feed = createFeed();
  const fixed = { feed, secret: SECRET, headers: serviceHeaders, toleranceSeconds: 300, forwardTimeoutMs: 5_000 };
  const listener = await startListener({ ...fixed, ...options });
  onTestFinished(() => listener.close());
  const last = () => lastOf(feed.list().at(-1) as KeptDelivery);
  return { ...listener, feed, last };
}

/** An app on a free port, and what it got. */
export async function app(answer: RequestListener = (_, response) => response.writeHead(200).end()) {
  const got: { url: string; headers: string[]; body: Buffer }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    got.push({ url: request.url ?? '', headers: request.rawHeaders, body: Buffer.concat(chunks) });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { target: new URL(`http://127.0.0.1:${port}/hooks?a=1`), got, host: `127.0.0.1:${port}` };
}

/** A port where nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
