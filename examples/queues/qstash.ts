// Two routes of a serverless host with QStash: one receives and publishes; QStash calls the other, which handles.
import { Client, Receiver } from '@upstash/qstash';
import type { Enqueue } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { type EventWorkerOptions, handleMessage, retryDelayMs, toMessage } from 'event-webhook-receiver/queues';

/** `url`: where QStash calls `handle`. Reads QSTASH_TOKEN, QSTASH_CURRENT_SIGNING_KEY and QSTASH_NEXT_SIGNING_KEY. */
export function openQstash<Tx>(url: string, worker: EventWorkerOptions<Tx>) {
  // Without retries, a delivery fails soon while QStash is down, and is redelivered.
  const client = new Client({ retry: false });
  const qstash = new Receiver();

  // Resolves once QStash has stored each message.
  const enqueue: Enqueue = (entries, context) =>
    Promise.all(entries.map((entry) => client.publish({ url, body: toMessage(entry, context) })));

  async function handle(request: Request): Promise<Response> {
    const body = await request.text();
    const signature = request.headers.get('upstash-signature') ?? '';
    const isFromQstash = await qstash.verify({ signature, body, url, clockTolerance: 5 }).catch(() => false);
    if (!isFromQstash) return new Response(null, { status: 403 });
    try {
      await handleMessage(body, worker);
      return new Response();
    } catch (error) {
      // QStash counts the attempts, and waits between them. 489 moves the message to its dead letters at once.
      if (retryDelayMs(error, 1) !== undefined) return new Response(String(error), { status: 500 });
      return new Response(String(error), { status: 489, headers: { 'upstash-nonretryable-error': 'true' } });
    }
  }
  return { receive: fetchHandler({ secret: process.env.WEBHOOK_SECRET ?? '', enqueue }), handle };
}
