import { WebhookError } from '../errors.js';
import type { HostGrants } from '../handle/deadline.js';
import type { ItemContext } from '../handle/types.js';
import { growingBuffer } from '../internal/growing-buffer.js';
import type { RawBody, SignedParts } from '../signature/verify-signature.js';
import type { Arrival } from './arrivals.js';
import type { SecretRequest } from './options.js';

/** A header's value as text. Hosts may pass it as a number or a list. Undefined for anything else. */
export function headerText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.map(headerText).join();
}

/** Path and query of a URL: a sender may request an absolute URL, as through a proxy, with a host of its choice. */
export function pathOf(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined;
  return url.startsWith('/') ? url : `/${url.replace(/^[^/?#]*\/\/[^/?#]*\/?/, '')}`;
}

/**
 * Reads a body that is still arriving. Rejects with a WebhookError when it is too large or cut off. It reports each chunk that
 * it keeps to `arrival`, whose `onDrop` says when to stop reading and release the chunks.
 */
export type BodyReader = (limits: { maxBodyBytes: number; arrival: Arrival }) => Promise<Uint8Array>;

/** An HTTP request as adapters present it. Its `url` is for secret functions. */
export interface DeliveryRequest extends Pick<SecretRequest, 'url'>, HostGrants {
  readonly method: string | undefined;
  /**
   * The connection of the request, such as a socket or an HTTP/2 session, compared by identity. When too many
   * deliveries are arriving, the oldest one of the peer with the most is dropped. (Default: each request is its own
   * peer.)
   */
  readonly peer?: unknown;
  /** A header's value by its name in lower case, as the host has it. Lists are joined with a comma. */
  header(name: string): unknown;
  /** The raw bytes, or a function that reads them. Throws RawBodyUnavailableError when the bytes are gone. */
  rawBody(): RawBody | BodyReader;
}

/** A delivery whose parts you have. */
export interface SignedRequest extends SignedParts, HostGrants {
  /** For a secret function. (Default: a request without headers.) */
  readonly request?: SecretRequest | undefined;
}

/** A request that was refused, as far as it was read. Nothing in it is verified. */
export interface RefusedRequest extends SecretRequest, Omit<SignedParts, 'rawBody'> {
  /**
   * The hashed bytes; undefined if the request was refused before. Copy them to keep them: the host may reuse its
   * buffer.
   */
  readonly rawBody: RawBody | undefined;
}

/** The subject of an error. `item` and `idempotencyKey` are absent when the whole delivery was refused. */
export interface ErrorContext extends ItemContext {
  /**
   * Returns the request of a delivery that was refused as a whole; undefined after the hook has returned, and for an item. The
   * property is not enumerable, so that a logged context contains no request.
   */
  readonly request?: (() => RefusedRequest | undefined) | undefined;
}

export function tooLarge(maxBodyBytes: number): WebhookError {
  return new WebhookError(
    'ERR_WEBHOOK_BODY_TOO_LARGE',
    `The body is larger than ${maxBodyBytes} bytes. Raise maxBodyBytes if the sender is yours.`,
  );
}

export function incomplete(why: string, cause?: unknown): WebhookError {
  return new WebhookError('ERR_WEBHOOK_BODY_INCOMPLETE', `The body did not arrive completely: ${why}.`, { cause });
}

/**
 * Starts reading: passes each chunk to `add` and calls `finish`, with the error if there is one. Returns a function that stops
 * reading, which is called if reading fails.
 */
export type BodySource = (add: (chunk: Uint8Array) => void, finish: (error?: unknown) => void) => () => void;

/** Reads a body within its size limit, until it ends, fails, or the delivery is dropped. */
export function readBody(source: BodySource): BodyReader {
  return ({ maxBodyBytes, arrival }) =>
    new Promise((resolve, reject) => {
      // Undefined once reading is over: listeners may outlive the delivery, and must not keep its bytes.
      let buffer: ReturnType<typeof growingBuffer> | undefined = growingBuffer(maxBodyBytes);
      let stop = () => {};
      const finish = (error?: unknown) => {
        const read = buffer;
        buffer = undefined;
        if (read === undefined) return;
        if (error === undefined) return resolve(read.bytes());
        reject(error);
        stop();
      };
      const add = (chunk: Uint8Array) => {
        if (!buffer) return;
        if (!ArrayBuffer.isView(chunk) || chunk.BYTES_PER_ELEMENT !== 1)
          return finish(incomplete('its stream returned something other than bytes'));
        if (!buffer.add(chunk)) return finish(tooLarge(maxBodyBytes));
        arrival.received(chunk.byteLength);
      };
      arrival.onDrop(finish);
      if (buffer) stop = source(add, finish);
    });
}
