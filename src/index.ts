export {
  ConfigError,
  type EventIssue,
  InvalidBodyError,
  InvalidEventError,
  isWebhookError,
  RawBodyUnavailableError,
  WebhookError,
  type WebhookErrorCode,
} from './errors.js';
export {
  type DeliveryItem,
  parseDelivery,
} from './events/parse-delivery.js';
export { parseEvent, parseEventEmitted, parseTransactionIncluded } from './events/parse-event.js';
export type { EventEmitted, EventKind, TransactionIncluded, WebhookEvent } from './events/types.js';
export type { DeliveryResult, EventOutcome } from './handle/answer.js';
export type { DeadLetter } from './handle/dead-letter.js';
export { NonRetryableError } from './handle/non-retryable.js';
export type {
  Enqueue,
  EventContext,
  EventEntry,
  EventsContext,
  OnEvent,
  OnEvents,
  VerifiedDelivery,
} from './handle/types.js';
export type { Logger } from './internal/logger.js';
export type { SecretFunction, SecretRequest } from './receive/options.js';
export type { DeliveryRequest, RefusedRequest } from './receive/request.js';
export type { OnError, ReceiverOptions, VerifierOptions } from './receiver/options.js';
export type { EventRecord } from './receiver/own-events.js';
export { createReceiver, type Receiver } from './receiver/receiver.js';
export { createRouter, type Router } from './receiver/router.js';
export type { EventFilter, EventMatcher } from './receiver/routes.js';
export { createVerifier, type Verifier } from './receiver/verifier.js';
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './signature/headers.js';
export { signDelivery } from './signature/sign-delivery.js';
export { type RawBody, verifySignature } from './signature/verify-signature.js';
export { memoryStore } from './stores/memory.js';
export type { IdempotencyStore, LeaseStore, TransactionalStore } from './stores/store.js';
