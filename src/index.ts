export {
  type AnyErrorCode,
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
  type EventItem,
  type InvalidItem,
  type ParseDeliveryOptions,
  parseDelivery,
  parseEvent,
  parseEventEmitted,
  parseTransactionIncluded,
  type UnknownItem,
} from './events/parse-delivery.js';
export type {
  ContractInfo,
  EventDetails,
  EventEmitted,
  EventInput,
  EventKind,
  EventTransaction,
  JsonValue,
  MethodInput,
  TransactionIncluded,
  TransactionIncludedData,
  WebhookEvent,
} from './events/types.js';
export type { DeliveryResult, EventOutcome } from './handle/answer.js';
export type { DroppedContext, Finality, FinalityVerdict, OnDropped } from './handle/finality.js';
export type { RemainingMs } from './handle/host-time.js';
export type { KeyState } from './handle/probe.js';
export type { DeliveryMessage, EventMessage, HandlerMessage } from './handle/tracing.js';
export type {
  Enqueue,
  EnqueueContext,
  EventContext,
  EventEntry,
  EventsContext,
  OnEvent,
  OnEvents,
  OnInvalid,
  OnUnknown,
  VerifiedDelivery,
} from './handle/types.js';
export type { Logger } from './internal/logger.js';
export type { DrainOptions } from './receive/drain.js';
export type { BodyLimits, BodyReader, DeliveryRequest, ErrorContext, RefusedRequest, SignedRequest } from './receive/request.js';
export type {
  FoundSecret,
  Secret,
  SecretFunction,
  SecretLookUp,
  SecretRequest,
  SourcedSecret,
} from './receive/secret.js';
export type {
  EnqueueOptions,
  OnError,
  OnEventOptions,
  OnEventsOptions,
  ReceiverOptions,
  ReceiverSettings,
  VerifierOptions,
} from './receiver/options.js';
export type { OwnEvents, OwnEventsOptions } from './receiver/own-events.js';
export { createReceiver, type Receiver } from './receiver/receiver.js';
export {
  createRouter,
  type EventFilter,
  type EventMatcher,
  type RouteHandler,
  type Router,
} from './receiver/router.js';
export { createVerifier, type Verification, type Verifier } from './receiver/verifier.js';
export { type HeaderNames, multibaasHeaders, serviceHeaders } from './signature/headers.js';
export { type SignedDelivery, type SignOptions, signDelivery } from './signature/sign-delivery.js';
export { type RawBody, verifySignature } from './signature/verify-signature.js';
export { type MemoryStoreOptions, memoryStore } from './stores/memory.js';
export type { HandlerResult, IdempotencyStore, RunOptions, StoreWord } from './stores/store.js';
