export type { EventKind } from '../events/types.js';
export type { DeliveryLogEntry } from './delivery-log.js';
export type { EnsuredWebhook } from './ensure.js';
export type { WebhookClientOptions } from './options.js';
export type { CreatedWebhook, NewWebhook, Webhook, WebhookChanges } from './webhook.js';
export { type ApiErrorCode, WebhookApiError } from './webhook-api-error.js';
export { createWebhookClient, type WebhookClient } from './webhook-client.js';
