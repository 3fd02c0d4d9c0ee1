import { createWebhookClient, type Webhook, type WebhookClient } from 'event-webhook-receiver/client';
import { networkReason } from '../network-errors.js';
import { usageError } from './command-error.js';
import type { Context } from './context.js';
import { readApiKey } from './secrets.js';

/** The options of a command that calls the service's API. */
export interface ServiceOptions {
  readonly apiKeyFile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Opens the service's API with the command's URL and key. */
export async function openService(context: Context<ServiceOptions>): Promise<WebhookClient> {
  const { options, env, signal } = context;
  const baseUrl = options.baseUrl ?? env.WEBHOOK_BASE_URL;
  if (!baseUrl) throw usageError('No service URL: set WEBHOOK_BASE_URL or use --base-url.');
  const apiKey = await readApiKey(context);
  return createWebhookClient({
    baseUrl,
    apiKey,
    fetch: (request) => fetch(request, { signal: either(signal, request.signal) }).catch(inWords),
  });
}

/** Replaces OpenSSL's message for a TLS error, which the client quotes. */
function inWords(error: Error): never {
  const { code } = Object(error.cause) as NodeJS.ErrnoException;
  throw code === undefined ? error : Object.assign(new Error(networkReason(code)), { code });
}

/** A signal that is aborted when the first of the signals is. Node has AbortSignal.any only from 20.3 on. */
function either(...signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) first.abort(signal.reason);
    signal.addEventListener('abort', () => first.abort(signal.reason), { once: true, signal: first.signal });
  }
  return first.signal;
}

/** The id of a webhook, from the command line. */
export function readId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageError('The id of a webhook must be a whole number, as `webhooks list` shows it.');
}

/** A webhook as printed, without its secret. */
export const webhookJson = ({ secret: _, ...shown }: Webhook) => shown;
