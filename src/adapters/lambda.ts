import { ConfigError, RawBodyUnavailableError } from '../errors.js';
import { answerHeaders, type DeliveryResult, validStatus } from '../handle/answer.js';
import { notRequest } from '../internal/not-request.js';
import { type DeliveryRequest, headerText } from '../receive/request.js';
import type { ReceiverOptions, VerifierOptions } from '../receiver/options.js';
import { asReceiver, type Receiver } from '../receiver/receiver.js';
import { asVerifier, type Verification, type Verifier } from '../receiver/verifier.js';

const FIX =
  'Use the Lambda proxy integration, a function URL or a load balancer, which pass the body as text or in base64; ' +
  'a mapping template does not. In middy, leave out httpJsonBodyParser. In a test event, make the body a string.';

type Values = { readonly [name: string]: string | undefined };
type MultiValues = { readonly [name: string]: readonly string[] | undefined };

/**
 * An HTTP request as Lambda functions receive it, reduced to the fields used: an event of API Gateway (a REST API with
 * proxy integration, or an HTTP API in payload format 1.0 or 2.0), of a function URL, or of an Application Load
 * Balancer.
 */
export interface LambdaEvent {
  /** Absent in payload format 2.0: see `requestContext.http`. */
  readonly httpMethod?: string | undefined;
  /** Has `http` in payload format 2.0, and `elb` in an event of a load balancer. */
  readonly requestContext?: object | null | undefined;
  readonly path?: string | undefined;
  readonly queryStringParameters?: Values | null | undefined;
  readonly multiValueQueryStringParameters?: MultiValues | null | undefined;
  /** `path` in payload format 2.0. */
  readonly rawPath?: string | undefined;
  readonly rawQueryString?: string | undefined;
  /** By name, in any case. In payload format 2.0, repeated headers are joined with a comma; elsewhere the last value counts. */
  readonly headers?: Values | null | undefined;
  /** All values. A load balancer sends this instead of `headers` when its target group enables multi-value headers. */
  readonly multiValueHeaders?: MultiValues | null | undefined;
  /** The body as text, or in base64. */
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** The part of Lambda's context that is used. Emulators may omit it, or its function. */
export interface LambdaContext {
  readonly getRemainingTimeInMillis?: (() => number) | undefined;
}

/** A result in the form that all of these hosts accept. */
export interface LambdaResult {
  statusCode: number;
  /** The status with a reason, for a load balancer. */
  statusDescription?: string;
  /** Set unless the event came from a load balancer with multi-value headers. */
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  /** Always empty. */
  body: '';
  isBase64Encoded: false;
}

/** A function for AWS Lambda. */
export type LambdaHandler = (event: LambdaEvent, context?: LambdaContext | null) => Promise<LambdaResult>;

/** Verifies an event of AWS Lambda. */
export type LambdaVerifier = (
  event: LambdaEvent,
  context?: LambdaContext | null,
) => Promise<Verification<LambdaResult>>;

/**
 * Creates a handler for AWS Lambda that answers deliveries. It takes the events of API Gateway (REST APIs with proxy
 * integration, HTTP APIs), of function URLs and of Application Load Balancers, and verifies the body's exact bytes.
 *
 * Lambda freezes the process after the answer, runs many processes, and ends them without notice. So:
 * - `store` must be shared by all processes: `memoryStore()` covers one.
 * - The answer is sent before the function's timeout (3 s by default; at least 2 s are needed), taken from Lambda's
 * `context`: handlers end 500 ms before it, and an event whose handler would have less than 500 ms until then is not
 * begun. Those events are 503 (`ERR_WEBHOOK_OUT_OF_TIME`) and redelivered; the others took effect and are recorded.
 * - Set the function's timeout below that of its host, which the handler cannot see: 29 s for API Gateway.
 * - Set `handlerTimeoutMs` to less than half of the function's timeout, so that an event whose handler hangs leaves
 * time for the others of its delivery.
 * - A handler that exceeded its time limit is frozen with the process. It continues when the process thaws, maybe after
 * its lease: call `context.throwIfExpired()` before each effect.
 * - Work that `onError` starts may be suspended until the next delivery. `drain` is not needed.
 *
 * AWS refuses large bodies before it calls the function: load balancers over 1 MB, the others if the whole event, in
 * which the body is escaped or in base64, is over 6 MB.
 *
 * @example
 * ```ts
 * import { lambdaHandler } from 'event-webhook-receiver/lambda';
 *
 * const secret = process.env.WEBHOOK_SECRET ?? '';
 * export const handler = lambdaHandler({ secret, onEvent: (event) => console.log(event.id) });
 * ```
 * @param receiverOrOptions A receiver, or options to create one with.
 * @returns The handler. It rejects, so that the host answers 502, with RawBodyUnavailableError when the host has parsed
 * the body, and with ConfigError `ERR_WEBHOOK_CONFIG` when the event is not an HTTP request.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function lambdaHandler<Tx = undefined>(receiverOrOptions: Receiver | ReceiverOptions<Tx>): LambdaHandler {
  const receiver = asReceiver(receiverOrOptions);
  return async (event, context) => toLambdaResult(event, await receiver.handleRequest(fromLambdaEvent(event, context)));
}

/**
 * Creates a function that verifies and parses an event of AWS Lambda for code that answers it itself. It does not
 * deduplicate events.
 *
 * @example
 * ```ts
 * import { type LambdaContext, type LambdaEvent, lambdaVerifier } from 'event-webhook-receiver/lambda';
 *
 * const verify = lambdaVerifier({ secret: process.env.WEBHOOK_SECRET ?? '' });
 * export async function handler(event: LambdaEvent, context: LambdaContext) {
 *   const { delivery, refusal } = await verify(event, context);
 *   if (refusal) return refusal;
 *   console.log(delivery.items.length);
 *   return { statusCode: 200 };
 * }
 * ```
 * @param verifierOrOptions A verifier, or options to create one with.
 * @returns The function. It resolves to the `delivery`, or to the result to return as `refusal`, and rejects like `lambdaHandler`.
 * @throws ConfigError `ERR_WEBHOOK_CONFIG` when an option is missing, unknown or invalid.
 */
export function lambdaVerifier(verifierOrOptions: Verifier | VerifierOptions): LambdaVerifier {
  const verifier = asVerifier(verifierOrOptions);
  return async (event, context) => {
    const { delivery, refusal } = await verifier.verifyRequest(fromLambdaEvent(event, context));
    return refusal ? { refusal: toLambdaResult(event, refusal) } : { delivery };
  };
}

function toLambdaResult(event: LambdaEvent, result: DeliveryResult): LambdaResult {
  const statusCode = validStatus(result.status);
  // The connection belongs to the host.
  const headers = answerHeaders(result).filter(([name]) => name !== 'Connection');
  const answer = { statusCode, body: '', isBase64Encoded: false } as const;
  if (!contextOf(event).elb) return { ...answer, headers: Object.fromEntries(headers) };
  const described = { ...answer, statusDescription: `${statusCode} ${statusCode === 200 ? 'OK' : 'Refused'}` };
  // A load balancer drops headers of the other form.
  if (!event.multiValueHeaders) return { ...described, headers: Object.fromEntries(headers) };
  return { ...described, multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])) };
}

/** Wraps a Lambda event. Throws if it is not an HTTP request, or if the host has parsed its body. */
function fromLambdaEvent(given: LambdaEvent | null | undefined, context?: LambdaContext | null): DeliveryRequest {
  const event = given ?? {};
  if ('bodyUsed' in Object(event)) throw notRequest('lambdaHandler takes an event of AWS Lambda', event);
  const body = event.body ?? '';
  if (typeof body !== 'string' || Array.isArray(given)) throw new RawBodyUnavailableError(FIX);
  const method = event.httpMethod ?? contextOf(event).http?.method;
  if (typeof method !== 'string') {
    throw new ConfigError(
      'The event is not an HTTP request of API Gateway (REST with proxy integration, or HTTP API), a function URL, or an Application Load Balancer. Check what invokes the function.',
    );
  }
  return {
    method,
    url: urlOf(event),
    header: (name) => headerOf(event.multiValueHeaders, name) ?? headerOf(event.headers, name),
    remainingMs: () => context?.getRemainingTimeInMillis?.(),
    rawBody: () => Buffer.from(body, event.isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

function headerOf(headers: object | null | undefined, name: string): string | undefined {
  const same = Object.entries(headers ?? {}).filter(([each]) => each.toLowerCase() === name);
  return headerText(same.flatMap(([, value]) => value ?? []));
}

/** The `requestContext` of the supported events. */
function contextOf(event: LambdaEvent): {
  readonly http?: { readonly method?: unknown };
  readonly elb?: unknown;
} {
  return event.requestContext ?? {};
}

/** Path and query of an event, as the sender requested them. */
function urlOf(event: LambdaEvent): string | undefined {
  const path = event.rawPath ?? event.path;
  if (typeof path !== 'string') return undefined;
  const query = typeof event.rawQueryString === 'string' ? event.rawQueryString : queryOf(event);
  return query === '' ? path : `${path}?${query}`;
}

/** API Gateway decodes names and values; a load balancer passes them as sent. */
function queryOf(event: LambdaEvent): string {
  const form = contextOf(event).elb ? String : encodeURIComponent;
  return Object.entries(event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {})
    .flatMap(([name, values]) => [values].flat().map((value) => `${form(name)}=${form(String(value ?? ''))}`))
    .join('&');
}
