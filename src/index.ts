export type { DeliveryResult } from './answer.js';
export {
  type DeliveryItem,
  type EventItem,
  type InvalidItem,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
  type UnknownItem,
} from './delivery.js';
export type { DrainOptions } from './drain.js';
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
export type {
  ContractEvent,
  EventContract,
  EventEmitted,
  EventInput,
  EventTransaction,
  JsonValue,
  MethodInput,
  TransactionIncluded,
  TransactionIncludedData,
  WebhookEvent,
} from './events.js';
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './headers.js';
export { type IdempotencyStore, type MemoryStoreOptions, memoryStore, type RunOptions } from './idempotency.js';
export type { BodyLimits, BodyReader, DeliveryRequest, SignedRequest, VerifiedDelivery } from './intake.js';
export type { Logger } from './logger.js';
export type {
  ErrorContext,
  EventContext,
  FoundSecret,
  HandOffContext,
  ReceiverOptions,
  Secret,
  SecretRequest,
  SourcedSecret,
  VerifierOptions,
} from './options.js';
export type { EventOutcome } from './outcome.js';
export { createReceiver, type Receiver } from './receiver.js';
export { createRouter, type EventFilter, type EventMatcher, type RouteHandler, type Router } from './router.js';
export {
  type RawBody,
  type SignedDelivery,
  type SignOptions,
  signDelivery,
  verifySignature,
} from './signature.js';
export type { DeliveryMessage, EventMessage, HandlerMessage } from './tracing.js';
