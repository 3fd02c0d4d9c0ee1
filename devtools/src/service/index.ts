export type { Attempt, AttemptResponse, ByteChange, HeaderLine } from './attempt.js';
export { createLocalService } from './create-local-service.js';
export type { DeliveryState, LocalDelivery, LogEntry } from './delivery.js';
export type { Faults } from './faults.js';
export type { LocalService } from './local-service.js';
export type { LocalServiceOptions } from './options.js';
export type { HeldQueue } from './queues.js';
export type { RetryOptions } from './retry.js';
export type { CreatedWebhook, EventKind, NewWebhook, Webhook } from './webhook.js';
