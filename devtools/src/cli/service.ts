import { isWebhookError } from 'event-webhook-receiver';
import { createWebhookClient, type Webhook, type WebhookClient } from 'event-webhook-receiver/client';
import type { CommandContext } from './command.js';
import { CommandError, usageError } from './command-error.js';
import type { FlagTable } from './flags.js';
import { apiKeyFlags, readApiKey } from './secrets.js';

/** The flags of a command that calls the service's API. */
export const serviceFlags = {
  'base-url': {
    type: 'text',
    placeholder: 'url',
    help: 'Where the service is. Without it, WEBHOOK_BASE_URL in the environment is taken',
  },
  timeout: {
    type: 'number',
    placeholder: 'seconds',
    min: 0.01,
    max: 600,
    default: 10,
    help: 'How long a call may take',
  },
  ...apiKeyFlags,
} as const satisfies FlagTable;

/** The kinds of event that a webhook can subscribe to. */
export const subscribeFlag = {
  type: 'text',
  placeholder: 'kind',
  choices: ['event.emitted', 'transaction.included'],
  multiple: true,
  help: 'Which events it gets',
} as const;

/** The service's API, with the key and the address that the command was given. */
export async function openService(context: CommandContext<typeof serviceFlags>): Promise<WebhookClient> {
  const { flags, env, signal } = context;
  const baseUrl = flags['base-url'] ?? env.WEBHOOK_BASE_URL;
  if (!baseUrl) throw usageError('Say where the service is: set WEBHOOK_BASE_URL, or give --base-url.');
  const apiKey = await readApiKey(context);
  try {
    return createWebhookClient({
      baseUrl,
      apiKey,
      timeoutMs: flags.timeout * 1000,
      fetch: (request) => fetch(request, { signal: either(signal, request.signal) }),
    });
  } catch (error) {
    if (!isWebhookError(error)) throw error;
    const message = error.message.replace('`baseUrl`', 'The base URL').replace('`apiKey`', 'The API key');
    throw new CommandError(error.code, message);
  }
}

/** A signal that is aborted with the first of two. Node 20 has AbortSignal.any only from 20.3 on. */
function either(...signals: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) first.abort(signal.reason);
    signal.addEventListener('abort', () => first.abort(signal.reason), { once: true, signal: first.signal });
  }
  return first.signal;
}

/** The id of a webhook, as it stands on the command line. */
export function readId(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw usageError("A webhook's id is a whole number, as `webhooks list` shows it.");
}

/** What of a webhook is printed. Its secret is no part of it. */
export const webhookJson = ({ secret: _, ...shown }: Webhook) => shown;
