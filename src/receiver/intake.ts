import { hmacAhead, utf8Length } from '#runtime';
import { WebhookError } from '../errors.js';
import { type DeliveryItem, parseDelivery } from '../events/parse-delivery.js';
import { withDeadline } from '../internal/deadline.js';
import { ignorePromise, isThenable } from '../internal/guards.js';
import { isSignature, isTimestamp, type RawBody, verifyWith } from '../signature/verify-signature.js';
import type { Arrival } from './arrivals.js';
import { checkFound, type resolveVerifierOptions, type Secret, type SecretRequest } from './options.js';

/** What a reader of a body has to keep to. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly timeoutMs: number;
  /** Told of each chunk that is kept, and says when to stop reading and to release what was read. */
  readonly arrival: Arrival;
}

/** Reads a body that is still on its way. Rejects with a WebhookError when it is too large, too slow or cut. */
export type BodyReader = (limits: BodyLimits) => Promise<Uint8Array>;

/** An HTTP request as the adapters present it. */
export interface DeliveryRequest {
  readonly method: string | undefined;
  /** A header's value by its name in lower case; values that were sent apart are joined with a comma. */
  header(name: string): string | undefined;
  /** Path and query as the sender asked for them, for secret functions. */
  readonly url?: string | undefined;
  /** Whether nobody would catch a RawBodyUnavailableError: it is then reported and answered 500. (Default: false.) */
  readonly answersUnavailable?: boolean | undefined;
  /** The untouched bytes, or how to read them. Throws RawBodyUnavailableError when they are gone. */
  rawBody(): RawBody | BodyReader;
}

/** The three parts that a signature holds together. */
export interface SignedRequest<Body = RawBody> {
  readonly rawBody: Body;
  readonly signature: string | undefined;
  readonly timestamp: string | undefined;
  /** For a secret function. (Default: a request without headers.) */
  readonly request?: SecretRequest | undefined;
}

/** An authentic delivery, parsed. */
export interface VerifiedDelivery {
  /** The bytes that were verified. */
  readonly rawBody: RawBody;
  /** Unix seconds as text. */
  readonly timestamp: string;
  /** What the secret function named beside the secret. */
  readonly source?: string | undefined;
  readonly items: DeliveryItem[];
}

/** The way from a request to an authentic, parsed delivery. Whatever stands in the way is thrown as a WebhookError. */
export interface Intake {
  /** Refuses what can be refused without the body, and finds the parts. */
  open(request: DeliveryRequest): SignedRequest<RawBody | BodyReader>;
  /** Reads the body, notes its size in `seen`, verifies it, and only then parses it. */
  verify(
    signed: SignedRequest<RawBody | BodyReader>,
    arrival: Arrival,
    seen?: { bodyBytes?: number | undefined },
  ): Promise<VerifiedDelivery>;
}

export function createIntake(options: ReturnType<typeof resolveVerifierOptions>): Intake {
  const { secret, toleranceSeconds, maxBodyBytes, maxArriving, receiveTimeoutMs, now } = options;
  /** Look-ups under way. Those of deliveries that were dropped cannot be stopped, and must not refuse newcomers soon. */
  let lookUps = 0;
  const maxLookUps = 10 * maxArriving;
  const signatureHeader = options.headers.signature.toLowerCase();
  const timestampHeader = options.headers.timestamp.toLowerCase();

  function checkHeaders(signature: string | undefined, timestamp: string | undefined): [string, string] {
    if (!isSignature(signature) || !isTimestamp(timestamp)) {
      throw new WebhookError(
        'ERR_WEBHOOK_HEADER',
        `Expected one ${signatureHeader} of 64 hex digits and one ${timestampHeader} of decimal digits. If the names are others, set the option headers.`,
      );
    }
    // Written so that a clock that gives NaN refuses.
    if (toleranceSeconds !== undefined && !(Math.abs(seconds() - Number(timestamp)) <= toleranceSeconds)) {
      throw new WebhookError(
        'ERR_WEBHOOK_TIMESTAMP',
        `The timestamp is more than ${toleranceSeconds} seconds off: a replay, or a clock that is wrong.`,
      );
    }
    return [signature, timestamp];
  }

  function seconds(): number {
    let time: unknown;
    try {
      time = now();
    } catch (cause) {
      throw new WebhookError('ERR_WEBHOOK_INTERNAL', 'The clock of the option now failed.', { cause });
    }
    if (typeof time === 'number') return time / 1000;
    ignorePromise(time);
    throw new WebhookError('ERR_WEBHOOK_INTERNAL', '`now` must return a number of milliseconds.');
  }

  function checkSize(bytes: number): void {
    if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
  }

  async function read(
    rawBody: RawBody | BodyReader,
    arrival: Arrival,
    seen: { bodyBytes?: number | undefined },
  ): Promise<RawBody> {
    const isReader = typeof rawBody === 'function';
    const body = isReader ? await rawBody({ maxBodyBytes, timeoutMs: receiveTimeoutMs, arrival }) : rawBody;
    // A string has as many bytes as characters at least: what is far too large is not counted.
    if (typeof body === 'string') checkSize(body.length);
    seen.bodyBytes = typeof body === 'string' ? utf8Length(body) : body?.byteLength;
    checkSize(seen.bodyBytes);
    if (!isReader) arrival.received(seen.bodyBytes);
    return body;
  }

  async function inTime<T>(looking: PromiseLike<T>): Promise<T> {
    const late = () => new Error(`It took more than ${receiveTimeoutMs} ms (receiveTimeoutMs).`);
    lookUps++;
    try {
      return await withDeadline(Promise.resolve(looking), receiveTimeoutMs, late);
    } finally {
      lookUps--;
    }
  }

  async function lookUp(find: Exclude<typeof secret, Secret>, request: SecretRequest = NO_REQUEST) {
    let found: ReturnType<typeof checkFound>;
    if (lookUps >= maxLookUps) {
      throw new WebhookError(
        'ERR_WEBHOOK_OVERLOADED',
        `${maxLookUps} secrets are being looked up (10 × maxArriving). Is the secret function slow? Let it cache.`,
      );
    }
    try {
      const given = find(request);
      found = checkFound(isThenable(given) ? await inTime(given) : given);
    } catch (cause) {
      throw new WebhookError('ERR_WEBHOOK_SECRET', 'The secret function failed, or returned something else.', {
        cause,
      });
    }
    if (found !== undefined) return found;
    throw new WebhookError('ERR_WEBHOOK_SIGNATURE', 'The secret function found no secret for this request.');
  }

  return {
    open(request) {
      if (request.method !== 'POST') throw new WebhookError('ERR_WEBHOOK_METHOD', 'Send it with POST.');
      const rawBody = request.rawBody();
      const encoding = request.header('content-encoding');
      if ((encoding || 'identity').toLowerCase() !== 'identity') {
        throw new WebhookError(
          'ERR_WEBHOOK_CONTENT_ENCODING',
          'The body is compressed. Have it sent as it was signed.',
        );
      }
      checkSize(Number(request.header('content-length') ?? 0));
      return {
        rawBody,
        signature: request.header(signatureHeader),
        timestamp: request.header(timestampHeader),
        request: typeof secret === 'function' ? new Untrusted(request) : undefined,
      };
    },

    async verify(signed, arrival, seen = {}) {
      const [signature, timestamp] = checkHeaders(signed.signature, signed.timestamp);
      let body: RawBody | undefined = await read(signed.rawBody, arrival, seen);
      let found: NonNullable<ReturnType<typeof checkFound>>;
      if (typeof secret === 'function') {
        // A look-up cannot be stopped, but it need not keep the bytes of a delivery that was dropped meanwhile.
        arrival.onDrop(() => {
          body = undefined;
        });
        found = await lookUp(secret, signed.request);
        if (body === undefined) throw incomplete('it was dropped');
      } else {
        found = { secret };
      }
      // From here on only the bytes that were hashed: a host may write into those that it gave.
      const [rawBody, hmac] = await hmacAhead(body, timestamp, found.secret);
      if (!verifyWith(hmac, rawBody, signature, timestamp, found.secret)) {
        throw new WebhookError(
          'ERR_WEBHOOK_SIGNATURE',
          'The signature does not fit: a forgery, another secret, or changed bytes.',
        );
      }
      return { rawBody, timestamp, source: found.source, items: parseDelivery(rawBody) };
    },
  };
}

const NO_REQUEST: SecretRequest = { header: () => undefined };

/** What a secret function gets to see of a request. A class, as a literal with a getter gets a new shape each time. */
class Untrusted implements SecretRequest {
  readonly #request: DeliveryRequest;

  constructor(request: DeliveryRequest) {
    this.#request = request;
    this.header = (name) => request.header(String(name).toLowerCase());
  }

  /** Bound, so that it may be taken out of the request. */
  readonly header: (name: string) => string | undefined;

  get url(): string | undefined {
    return this.#request.url;
  }
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
