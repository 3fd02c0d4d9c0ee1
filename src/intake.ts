import { withDeadline } from './deadline.js';
import { type DeliveryItem, parseDelivery } from './delivery.js';
import { WebhookError } from './errors.js';
import type { resolveVerifierOptions, Secret } from './options.js';
import { isSignature, isTimestamp, type RawBody, verifySignature } from './signature.js';

/** What a reader of a body has to keep to. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
}

/** Reads a body that is still on its way. Rejects with a WebhookError when it is too large, too slow or cut. */
export type BodyReader = (limits: BodyLimits) => Promise<Uint8Array>;

/** An HTTP request as the adapters present it. */
export interface DeliveryRequest {
  readonly method: string | undefined;
  /** A header's value by its name in lower case; values that were sent apart are joined with a comma. */
  header(name: string): string | undefined;
  /** The untouched bytes, or how to read them. Throws RawBodyUnavailableError when they are gone. */
  rawBody(): RawBody | BodyReader;
}

/** The three parts that a signature holds together. */
export interface SignedRequest<Body = RawBody> {
  readonly rawBody: Body;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
}

/** An authentic delivery, parsed. */
export interface VerifiedDelivery {
  /** The bytes that were verified. */
  readonly rawBody: RawBody;
  /** Unix seconds as text. */
  readonly timestamp: string;
  readonly items: DeliveryItem[];
}

/** The way from a request to an authentic, parsed delivery. Whatever stands in the way is thrown as a WebhookError. */
export interface Intake {
  /** Refuses what can be refused without the body, and finds the parts. */
  open(request: DeliveryRequest): SignedRequest<RawBody | BodyReader>;
  /** Reads the body, verifies it, and only then parses it. */
  verify(signed: SignedRequest<RawBody | BodyReader>): Promise<VerifiedDelivery>;
}

export function createIntake(options: ReturnType<typeof resolveVerifierOptions>): Intake {
  const { secret, toleranceSeconds, maxBodyBytes, receiveTimeoutMs, now } = options;
  const signatureHeader = options.headers.signature.toLowerCase();
  const timestampHeader = options.headers.timestamp.toLowerCase();

  function checkHeaders(signature: string | undefined, timestamp: string | undefined): [string, string] {
    if (!isSignature(signature) || !isTimestamp(timestamp)) {
      throw new WebhookError(
        'ERR_WEBHOOK_HEADER',
        `Each delivery has one ${signatureHeader} of 64 hex digits and one ${timestampHeader} of decimal digits; this has not. If the service sends other names, set the option headers.`,
      );
    }
    // Written so that a clock that gives NaN refuses.
    if (toleranceSeconds !== undefined && !(Math.abs(now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
      throw new WebhookError(
        'ERR_WEBHOOK_TIMESTAMP',
        `The timestamp is more than ${toleranceSeconds} seconds from this clock: an old delivery sent again, or a clock that is off.`,
      );
    }
    return [signature, timestamp];
  }

  function checkSize(bytes: number): void {
    if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  }

  async function ask(secret: () => Secret | Promise<Secret>): Promise<Secret> {
    try {
      return await withDeadline(Promise.resolve(secret()), receiveTimeoutMs, () => new Error('It took too long.'));
    } catch (cause) {
      throw new WebhookError('ERR_WEBHOOK_SECRET', 'The secret function failed or took too long.', { cause });
    }
  }

  return {
    open(request) {
      if (request.method !== 'POST') throw new WebhookError('ERR_WEBHOOK_METHOD', 'Deliveries are sent with POST.');
      const rawBody = request.rawBody();
      const encoding = request.header('content-encoding');
      if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') {
        throw new WebhookError(
          'ERR_WEBHOOK_CONTENT_ENCODING',
          'The body is compressed. A signature holds for the bytes as they are sent: send them as they are.',
        );
      }
      checkSize(Number(request.header('content-length') ?? 0));
      return { rawBody, signature: request.header(signatureHeader), timestamp: request.header(timestampHeader) };
    },

    async verify(signed) {
      const [signature, timestamp] = checkHeaders(signed.signature, signed.timestamp);
      const rawBody =
        typeof signed.rawBody === 'function'
          ? await signed.rawBody({ maxBodyBytes, timeoutMs: receiveTimeoutMs })
          : signed.rawBody;
      checkSize(typeof rawBody === 'string' ? rawBody.length : rawBody?.byteLength);
      if (!verifySignature(rawBody, signature, timestamp, typeof secret === 'function' ? await ask(secret) : secret)) {
        throw new WebhookError(
          'ERR_WEBHOOK_SIGNATURE',
          'The signature is not that of this body and timestamp under the secret: a forgery, another secret, or bytes that were changed on their way.',
        );
      }
      return { rawBody, timestamp, items: parseDelivery(rawBody) };
    },
  };
}

/** The error for a body over the limit. */
export function tooLarge(maxBodyBytes: number): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    `The body is larger than ${maxBodyBytes} bytes (maxBodyBytes).`,
  );
}

/** The error for a body over a limit that the host has of its own. */
export function hostLimit(cause: unknown): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    'The body is larger than the host in front of the receiver allows: raise its limit (BODY_SIZE_LIMIT of SvelteKit, bodyLimit of h3) above maxBodyBytes.',
    { cause },
  );
}

/** The error for a body that did not arrive in full. */
export function incomplete(why: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_BODY_INCOMPLETE', `The body did not arrive in full: ${why}.`, { cause });
}
