// A Cloudflare Worker: `fetch` receives, `queue` handles. Its consumer needs max_retries 100, so that the engine gives up
// later than `retryDelayMs`.
import type { WebhookEvent } from 'event-webhook-receiver';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { handleMessage, retryDelayMs, toMessage } from 'event-webhook-receiver/queues';
import { type D1DatabaseLike, fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';

interface Producer {
  send(body: string, options: { contentType: 'text' }): Promise<unknown>;
}

interface Message {
  readonly body: string;
  readonly attempts: number;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

export interface Env {
  readonly WEBHOOK_SECRET: string;
  readonly EVENTS: Producer;
  readonly DEAD: Producer;
  readonly DB: D1DatabaseLike;
}

async function settle(message: Message, env: Env, onEvent: (event: WebhookEvent) => Promise<unknown>) {
  try {
    await handleMessage(message.body, { store: sqlStore({ db: fromD1(env.DB) }), onEvent });
  } catch (error) {
    const delayMs = retryDelayMs(error, message.attempts);
    if (delayMs !== undefined) return message.retry({ delaySeconds: Math.ceil(delayMs / 1000) });
    await env.DEAD.send(JSON.stringify({ reason: String(error), message: message.body }), { contentType: 'text' });
  }
  message.ack();
}

export default {
  fetch(request: Request, env: Env) {
    const receive = fetchHandler({
      secret: env.WEBHOOK_SECRET,
      // One message each: a message has at most 128 kB, and a large one must not refuse the others.
      enqueue: (entries, context) =>
        Promise.all(entries.map((entry) => env.EVENTS.send(toMessage(entry, context), { contentType: 'text' }))),
    });
    return receive(request);
  },
  async queue({ messages }: { messages: readonly Message[] }, env: Env) {
    const insert = env.DB.prepare('INSERT INTO handled (id) VALUES (?)');
    await Promise.all(messages.map((each) => settle(each, env, (event) => insert.bind(event.id).all())));
  },
};
