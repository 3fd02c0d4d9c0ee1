import { readFile } from 'node:fs/promises';
import type { WebhookEvent } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import { call, pageHeaders } from '../page/call.js';
import { serve } from '../servers.js';
import type { Running } from './running.js';

/** The timeout of tests that start `emulate`. */
export const limits = { timeout: 60_000 };

/** An app that verifies with the secret in a file, which it reads at each delivery, and the events it handles. */
export async function app(secretFile: string) {
  const events: WebhookEvent[] = [];
  let wake = () => {};
  const handle = nodeHandler({
    secret: async () => (await readFile(secretFile, 'utf8')).trim(),
    toleranceSeconds: 300,
    onEvent(event) {
      events.push(event);
      wake();
    },
  });
  const url = await serve((request, response) => void handle(request, response));
  async function event(): Promise<WebhookEvent> {
    while (events.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return events.shift() as WebhookEvent;
  }
  return { url: `${url}/webhooks`, event };
}

/** The page of a running command, by its API. */
export async function pageOf(running: Running) {
  const [url, token = ''] = (await running.until(/^Page/)).replace('Page: ', '').split('#token=');
  const headers = pageHeaders(token);
  return async (method: string, path: string, body: unknown = {}) => {
    const sent = method === 'GET' ? {} : { body: JSON.stringify(body) };
    const { status, text } = await call(`${url}api/${path}`, { method, headers, ...sent });
    return { status, body: JSON.parse(text) };
  };
}
