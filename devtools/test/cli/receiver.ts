import type { ReceiverOptions } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { serve } from '../servers.js';
import { SECRET } from './tool.js';

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
