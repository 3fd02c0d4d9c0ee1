import { hmacAhead } from '#runtime';
import { RawBodyUnavailableError, WebhookError } from '../errors.js';
import { parseItems } from '../events/parse-delivery.js';
import { answerTo, asWebhookError, type DeliveryResult } from '../handle/answer.js';
import { type HostGrants, letFinish } from '../handle/deadline.js';
import { type DeliveryMessage, traceDelivery } from '../handle/tracing.js';
import type { VerifiedDelivery } from '../handle/types.js';
import { withDeadline } from '../internal/time.js';
import { authenticate, headerError, missingBodyError } from '../signature/authenticate.js';
import { type RawBody, signedBytes } from '../signature/verify-signature.js';
import { createArrivals } from './arrivals.js';
import type { Gate } from './gate.js';
import type { ReceiveOptions, Secret, SecretRequest } from './options.js';
import {
  type BodyReader,
  type DeliveryRequest,
  type ErrorContext,
  headerText,
  incomplete,
  type RefusedRequest,
  type SignedRequest,
  tooLarge,
} from './request.js';
import { createSecretFinder } from './secret.js';

/** Undefined for a verifier, whose deliveries the program answers. */
type Answer = DeliveryResult | undefined;

/** What a receiver or a verifier does with an authentic delivery. */
export type Take<Result> = (delivery: VerifiedDelivery, host?: HostGrants) => Promise<Result>;

/** A delivery whose body may still be arriving. */
interface Unread extends Pick<SignedRequest, 'signature' | 'timestamp'> {
  readonly rawBody: RawBody | BodyReader;
  readonly request: SecretRequest;
}

/** Processes a delivery from the request to the answer: head, body, secret, signature, items, `take`. */
export function createReceive(
  options: ReceiveOptions,
  gate: Gate,
  report: (error: WebhookError, context: ErrorContext) => void,
) {
  const { secret, headers, toleranceSeconds, maxBodyBytes, maxEvents, receiveTimeoutMs, now } = options;
  const arrivals = createArrivals(options);
  const findSecret = typeof secret === 'function' ? createSecretFinder(secret, receiveTimeoutMs, arrivals) : undefined;

  /** Makes the checks of a request that need no body. */
  function openRequest(request: DeliveryRequest, header: SecretRequest['header']): Unread {
    // Requests in tests may have the method in lower case. From the wire, Node takes only upper case.
    if (String(request.method).toUpperCase() !== 'POST')
      throw new WebhookError('ERR_WEBHOOK_METHOD', 'Send deliveries with POST.');
    const rawBody = request.rawBody();
    if ((header('content-encoding') || 'identity').toLowerCase() !== 'identity') {
      const message = 'The body is compressed. Have it sent uncompressed, as it was signed.';
      throw new WebhookError('ERR_WEBHOOK_CONTENT_ENCODING', message);
    }
    if (Number(header('content-length')) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    const [signature, timestamp] = [header(headers.signature), header(headers.timestamp)];
    return { rawBody, signature, timestamp, request: { header, url: request.url } };
  }

  /** All steps in their order. `open` returns the head, or throws the error to refuse it with. */
  async function receive<Result extends Answer>(
    open: () => Unread,
    message: DeliveryMessage,
    take: Take<Result>,
    grants: HostGrants & Pick<DeliveryRequest, 'peer'>,
  ): Promise<Result | DeliveryResult> {
    let unread: Unread | undefined;
    let refused: RawBody | undefined;
    let result: Result | DeliveryResult;
    try {
      unread = open();
      gate.check();
      const { rawBody: given, signature, timestamp, request } = unread;
      // Undefined without grants: work that outlives the answer keeps it, and with it the request.
      const host = grants.remainingMs || grants.waitUntil ? grants : undefined;

      // Checked before the delivery takes a place.
      const malformed = headerError({ signature, timestamp }, headers);
      if (malformed) throw malformed;
      // The clock is read before the body, which may arrive slowly.
      const nowMs = toleranceSeconds === false ? 0 : now();
      if (!Number.isFinite(nowMs))
        throw new WebhookError('ERR_WEBHOOK_INTERNAL', '`now` must return a number of milliseconds.');

      const delivery = await arrivals.run(
        async (arrival): Promise<VerifiedDelivery> => {
          const isReader = typeof given === 'function';
          const late = () =>
            arrivals.drop(arrival, incomplete(`it took longer than ${receiveTimeoutMs} ms (receiveTimeoutMs)`));
          arrival.body = isReader
            ? await withDeadline(given({ maxBodyBytes, arrival }), receiveTimeoutMs, late)
            : given;
          message.bodyBytes = sizeOf(arrival.body);
          if (message.bodyBytes === 0 && Number(request.header('content-length')) > 0)
            throw new RawBodyUnavailableError(
              'It arrived empty, although Content-Length announces bytes: register the handler before anything that parses bodies.',
            );
          if (message.bodyBytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
          if (!isReader) arrival.received(message.bodyBytes);

          const found = findSecret ? await findSecret(request, arrival) : { secret: secret as Secret };

          // From here on, use only the bytes that were hashed: the host may overwrite its buffer.
          const [rawBody, hmac] = await hmacAhead(arrival.body, timestamp as string, found.secret);
          const check = { toleranceSeconds, nowMs, headers, hmac };
          const authentic = authenticate({ rawBody, signature, timestamp }, found.secret, check);
          if ('refusal' in authentic) {
            refused = rawBody;
            throw authentic.refusal;
          }
          return { ...authentic, source: found.source, items: parseItems(rawBody, maxEvents) };
        },
        { host, peer: grants.peer },
      );

      result = await take(delivery, host);
    } catch (error) {
      result = refuse(error, unread, refused);
    }
    return gate.isClosed ? { ...result, closeConnection: true } : result;
  }

  /** Reports an error and returns the answer for it. */
  function refuse(cause: unknown, unread?: Unread, rawBody?: RawBody): DeliveryResult {
    const error = asWebhookError(cause);
    // Emptied below, so that a context which the program keeps does not keep the body.
    let told: RefusedRequest | undefined = unread && {
      ...unread.request,
      signature: unread.signature,
      timestamp: unread.timestamp,
      rawBody,
    };
    const request = () => told;
    // Not enumerable: a hook may log its context.
    report(error, Object.defineProperty({}, 'request', { value: request }));
    told = undefined;
    return answerTo(error);
  }

  return {
    arrivals,
    refuse,
    /** Handles a delivery whose parts the caller has. Never rejects. */
    handle<R extends Answer>(signed: SignedRequest, take: Take<R>): Promise<R | DeliveryResult> {
      const message = {};
      const open = (): Unread => {
        const { rawBody, signature, timestamp, request = { header: () => undefined } } = signed;
        return { rawBody, signature, timestamp, request: { header: headersOf(request), url: request.url } };
      };
      return traceDelivery(() => receive(open, message, take, signed), message);
    },
    /** Handles an HTTP request. Never rejects. */
    async handleRequest<R extends Answer>(request: DeliveryRequest, take: Take<R>): Promise<R | DeliveryResult> {
      const header = headersOf(request);
      const message = { header };
      const open = () => openRequest(request, header);
      const answering = traceDelivery(() => receive(open, message, take, request), message);
      letFinish(request, answering);
      return answering;
    },
  };
}

/** Processes the deliveries of one receiver or verifier. */
export type Receive = ReturnType<typeof createReceive>;

/** The size of a body, in bytes. Throws for a value that cannot be the bytes as they arrived. */
function sizeOf(body: RawBody | undefined | null): number {
  if (body === undefined || body === null) throw missingBodyError();
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : signedBytes(body);
  if (bytes) return bytes.length;
  throw new RawBodyUnavailableError('Pass the bytes as they arrived: a string, a Uint8Array or an ArrayBuffer.');
}

/** The headers of a request, as text: a host may have other values. */
function headersOf(request: Pick<DeliveryRequest, 'header'>): SecretRequest['header'] {
  return (name) => headerText(request.header(name.toLowerCase()));
}
