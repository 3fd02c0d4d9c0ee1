import { hmacAhead, utf8Length } from '#runtime';
import { isWebhookError, RawBodyUnavailableError, WebhookError } from '../errors.js';
import { parseItems } from '../events/parse-delivery.js';
import { answerTo, asWebhookError, type DeliveryResult } from '../handle/answer.js';
import { HostTime } from '../handle/host-time.js';
import { type DeliveryMessage, traceDelivery } from '../handle/tracing.js';
import type { ItemContext, VerifiedDelivery } from '../handle/types.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import { authenticate, formRefusal } from '../signature/authenticate.js';
import type { HeaderNames } from '../signature/headers.js';
import { missingBodyError } from '../signature/refusals.js';
import { type RawBody, signedBytes } from '../signature/verify-signature.js';
import { type Arriving, createArrivals } from './arrivals.js';
import type { Found } from './check-secret.js';
import type { Gate } from './gate.js';
import { createSecretFinder, LookUp } from './look-up.js';
import {
  type BodyReader,
  type DeliveryRequest,
  headerText,
  type RefusedRequest,
  type SignedRequest,
  tooLarge,
} from './request.js';
import type { Secret, SecretFunction, SecretRequest } from './secret.js';

/** The options of a verifier, complete and checked. */
export interface ReceiveOptions {
  readonly secret: Secret | SecretFunction;
  readonly headers: HeaderNames;
  readonly toleranceSeconds: number | false;
  readonly maxBodyBytes: number;
  readonly maxEvents: number;
  readonly maxArriving: number;
  readonly maxArrivingBytes: number;
  readonly maxLookUps: number;
  readonly receiveTimeoutMs: number;
  readonly now: () => number;
  readonly warnOfQuotes: (secret: Secret) => void;
}

/** What a receiver or a verifier does with an authentic delivery. */
export type Take<Result> = (delivery: VerifiedDelivery, host?: HostTime) => Promise<Result>;

/** What an error is about: an item, or a request that was refused. */
export interface Refused extends ItemContext {
  readonly request?: (() => RefusedRequest | undefined) | undefined;
}

/** A delivery whose body may still be arriving. */
type Unread = SignedRequest<RawBody | BodyReader>;

/** The way of a delivery from the request to `take`: head, body, secret, signature, items. */
export function createReceive(
  options: ReceiveOptions,
  gate: Gate,
  report: (error: WebhookError, context: Refused) => void,
) {
  const { secret, toleranceSeconds, maxBodyBytes, maxEvents, receiveTimeoutMs, now } = options;
  const headers = {
    signature: options.headers.signature.toLowerCase(),
    timestamp: options.headers.timestamp.toLowerCase(),
  };
  const arrivals = createArrivals(options);
  const findSecret = typeof secret === 'function' ? createSecretFinder(secret, options, arrivals) : undefined;

  /** While draining, asks senders to close the connection. */
  function closing(result: DeliveryResult): DeliveryResult {
    return gate.isClosed ? { ...result, closeConnection: true } : result;
  }

  function refuse(cause: unknown, request?: () => RefusedRequest): DeliveryResult {
    const error = asWebhookError(cause);
    let isTold = false;
    // Not enumerable: a hook may log its context.
    const context: Refused = Object.defineProperty({}, 'request', {
      value: () => (isTold ? undefined : request?.()),
    });
    report(error, context);
    isTold = true;
    return closing(answerTo(error));
  }

  function checkSize(bytes: number): void {
    if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  }

  /** The size of a body, in bytes. */
  function sizeOf(body: RawBody | undefined | null): number {
    if (body === undefined || body === null) throw missingBodyError();
    if (typeof body !== 'string') {
      const bytes = signedBytes(body);
      if (bytes === undefined) throw new RawBodyUnavailableError(PASS_BYTES);
      return bytes.length;
    }
    // A string has at least as many bytes as characters, so one that is too long need not be counted.
    checkSize(body.length);
    return utf8Length(body);
  }

  function timeOfArrival(): number {
    let time: unknown;
    try {
      time = now();
    } catch (cause) {
      throw new WebhookError('ERR_WEBHOOK_INTERNAL', 'The function `now` failed.', { cause });
    }
    if (typeof time === 'number') return time;
    ignorePromise(time);
    throw new WebhookError('ERR_WEBHOOK_INTERNAL', '`now` must return a number of milliseconds.');
  }

  /** Makes the checks that need no body, and finds the signed parts. */
  function readHead(request: DeliveryRequest): Unread {
    // Fake requests write it as people do. Node takes only upper case from the wire.
    if (request.method !== 'POST' && String(request.method).toUpperCase() !== 'POST')
      throw new WebhookError('ERR_WEBHOOK_METHOD', 'Send deliveries with POST.');
    const rawBody = request.rawBody();
    // A host of your own may return other values than text.
    const header = (name: string) => headerText(request.header(name));
    if ((header('content-encoding') || 'identity').toLowerCase() !== 'identity') {
      throw new WebhookError(
        'ERR_WEBHOOK_CONTENT_ENCODING',
        'The body is compressed. Have it sent uncompressed, as it was signed.',
      );
    }
    checkSize(Number(header('content-length') ?? 0));
    return {
      rawBody,
      signature: header(headers.signature),
      timestamp: header(headers.timestamp),
      request: findSecret && request,
      remainingMs: request.remainingMs && (() => request.remainingMs?.()),
      waitUntil: request.waitUntil && ((work) => request.waitUntil?.(work)),
    };
  }

  async function receive<Result>(unread: Unread, message: DeliveryMessage, take: Take<Result>) {
    const { header } = message;
    let refused: RawBody | undefined;

    async function verify(arrival: Arriving): Promise<VerifiedDelivery> {
      const { signature, timestamp } = unread;
      const malformed = formRefusal(unread, { headers, header });
      if (malformed) throw malformed;
      // Read before the body, which may arrive slowly.
      const nowMs = toleranceSeconds === false ? 0 : timeOfArrival();
      const isReader = typeof unread.rawBody === 'function';
      let body = isReader
        ? await (unread.rawBody as BodyReader)({ maxBodyBytes, timeoutMs: receiveTimeoutMs, arrival })
        : (unread.rawBody as RawBody);
      const bytes = sizeOf(body);
      message.bodyBytes = bytes;
      checkSize(bytes);
      if (!isReader) arrival.received(bytes);
      let found: Found = { secret: secret as Secret };
      if (findSecret) {
        const lookUp = new LookUp(unread.request, header);
        // A look-up may not stop, but it must not retain the bytes of a dropped delivery.
        arrival.onDrop((error) => {
          body = '';
          lookUp.abort(error);
        });
        found = await findSecret(lookUp, arrival);
      }
      // From here on, use only the bytes that were hashed: the host may overwrite its buffer.
      const ahead = hmacAhead(body, timestamp as string, found.secret);
      const [rawBody, hmac] = isThenable(ahead) ? await ahead : ahead;
      const check = { toleranceSeconds, nowMs, headers, header, hmac };
      const authentic = authenticate({ rawBody, signature, timestamp }, found.secret, check);
      if ('refusal' in authentic) {
        refused = rawBody;
        throw authentic.refusal;
      }
      return { ...authentic, source: found.source, items: parseItems(rawBody, maxEvents) };
    }

    try {
      gate.check();
      const { remainingMs, waitUntil } = unread;
      const host = remainingMs || waitUntil ? new HostTime(remainingMs, waitUntil) : undefined;
      return await take(await arrivals.run(verify, host), host);
    } catch (error) {
      return refuse(error, () => ({
        signature: unread.signature,
        timestamp: unread.timestamp,
        rawBody: refused,
        header: (name) => (header ?? unread.request?.header)?.(name.toLowerCase()),
        url: unread.request?.url,
      }));
    }
  }

  return {
    arrivals,
    closing,
    refuse,
    /** Finds the secret for a request of the program's own. */
    findSecret: async (request: SecretRequest | undefined): Promise<Found> =>
      findSecret ? findSecret(new LookUp(request)) : { secret: secret as Secret },
    /** Never rejects. */
    handle<Result>(signed: SignedRequest, take: Take<Result>): Promise<Result | DeliveryResult> {
      const message = {};
      return traceDelivery(() => receive(signed, message, take), message);
    },
    /** Rejects only with RawBodyUnavailableError. */
    handleRequest<Result>(request: DeliveryRequest, take: Take<Result>): Promise<Result | DeliveryResult> {
      const message = { header: (name: string) => headerText(request.header(name)) };
      return traceDelivery(async () => {
        let unread: Unread;
        try {
          unread = readHead(request);
        } catch (error) {
          const isUnavailable = isWebhookError(error) && error.code === 'ERR_WEBHOOK_RAW_BODY_UNAVAILABLE';
          if (isUnavailable && !request.answersUnavailable) throw error;
          return refuse(error);
        }
        return receive(unread, message, take);
      }, message);
    },
  };
}

/** The way of the deliveries of one receiver or verifier. */
export type Receive = ReturnType<typeof createReceive>;

const PASS_BYTES = 'Pass the bytes as they arrived: a string, a Uint8Array or an ArrayBuffer.';
