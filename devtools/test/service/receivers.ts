import type { RequestListener } from 'node:http';
import type { ReceiverOptions, WebhookEvent } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import type { LocalServiceOptions } from '../../src/service/index.js';
import { serve } from '../servers.js';
import { serving } from './service.js';

/** A receiver that answers as told. */
export const listening = async (listener: RequestListener) => ({ url: `${await serve(listener)}/webhooks` });

/** A receiver of this library, and what it came to. The secret is set once the webhook is registered. */
export async function receiving(options: Partial<Extract<ReceiverOptions, { onEvent: object }>> = {}) {
  const handled: WebhookEvent[] = [];
  const refused: string[] = [];
  const holder = { secret: '' };
  const handler = nodeHandler({
    secret: () => holder.secret,
    toleranceSeconds: 300,
    onEvent: (event) => {
      handled.push(event);
    },
    onError: (error) => {
      refused.push(error.code);
    },
    ...options,
  });
  const { url } = await listening((request, response) => void handler(request, response));
  return {
    url,
    /** Ids of the events that it handled, in order. */
    ids: () => handled.map(({ id }) => id),
    handled,
    refused,
    setSecret: (secret: string) => {
      holder.secret = secret;
    },
  };
}

/** A service, and a receiver that knows the secret of its one webhook. */
export async function pair(options: LocalServiceOptions = {}, ofReceiver: Parameters<typeof receiving>[0] = {}) {
  const served = await serving(options);
  const receiver = await receiving(ofReceiver);
  receiver.setSecret(served.service.register({ label: 'mine', url: receiver.url }).secret);
  return { ...served, receiver };
}
