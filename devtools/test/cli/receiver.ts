import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceiverOptions } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { onTestFinished } from 'vitest';
import { SECRET } from './tool.js';

/** A server on a free port that is closed after the test. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A receiver that a command can send to, which notes what it handled and what came. */
export async function receiver(options: Partial<Extract<ReceiverOptions, { onEvent: object }>> = {}) {
  const handled: string[] = [];
  const requests: { headers: string[]; body: Buffer }[] = [];
  const handle = nodeHandler({
    secret: SECRET,
    toleranceSeconds: 300,
    onEvent: ({ id }) => void handled.push(id),
    ...options,
  });
  const url = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    requests.push({ headers: request.rawHeaders, body });
    await handle(Object.assign(request, { rawBody: body }), response);
  });
  return { url: `${url}/webhooks`, handled, requests };
}
