import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { RawBodyUnavailableError } from '../errors.js';
import { readBody } from '../receive/read-body.js';
import { type BodyReader, type DeliveryRequest, headerText, incomplete } from '../receive/request.js';
import type { RawBody } from '../signature/verify-signature.js';

/** A request of node:http, or of a framework that put the raw bytes beside it. */
export type NodeRequest = IncomingMessage & {
  readonly rawBody?: unknown;
  readonly body?: unknown;
  /** The `url` before a router removed its prefix. */
  readonly originalUrl?: string;
};

/** Where a framework keeps the body outside of the Node request, and whether it catches errors. */
export interface HostTraits {
  /** Whether nobody catches what the adapter throws. */
  readonly answersUnavailable?: boolean;
  readonly rawBody?: unknown;
  readonly body?: unknown;
  /** What the framework reads the body from. (Default: the Node request.) */
  readonly stream?: Readable;
  /** Reads a property of the request. (Default: `request[name]`.) */
  readonly read?: (from: object, name: string) => unknown;
}

const readProperty = (from: object, name: string): unknown => from[name as keyof object];

/** Presents a Node request; `fix` says what to do if its body was already read. */
export function fromNodeRequest(request: NodeRequest, fix: string, traits: HostTraits = {}): DeliveryRequest {
  return new NodeDelivery(request, fix, traits);
}

/** A class: an object literal with a getter gets a new shape, and garbage, each time. */
class NodeDelivery implements DeliveryRequest {
  readonly answersUnavailable: boolean | undefined;
  readonly #request: NodeRequest;
  readonly #fix: string;
  readonly #traits: HostTraits;

  // Reads nothing of the request: a getter of a host that throws is an error of the delivery.
  constructor(request: NodeRequest, fix: string, traits: HostTraits) {
    this.answersUnavailable = traits.answersUnavailable;
    this.#request = request;
    this.#fix = fix;
    this.#traits = traits;
  }

  get method(): string | undefined {
    return this.#request.method;
  }

  get url(): string | undefined {
    return pathOf(this.#request.originalUrl ?? this.#request.url);
  }

  header(name: string): string | undefined {
    return headerText(this.#request.headers?.[name]);
  }

  rawBody(): RawBody | BodyReader {
    const request = this.#request;
    const { rawBody, body, stream = request, read = readProperty } = this.#traits;
    const ownRawBody = read(request, 'rawBody');
    const ownBody = read(request, 'body');
    if (isBytes(rawBody)) return rawBody;
    if (isBytes(body)) return body;
    if (isBytes(ownRawBody)) return ownRawBody;
    if (isBytes(ownBody)) return ownBody;
    if (typeof rawBody === 'string') return rawBody;
    if (typeof ownRawBody === 'string') return ownRawBody;
    if (typeof stream.on !== 'function') throw new RawBodyUnavailableError(this.#fix);
    // A parser may set req.body without reading, so only the stream tells whether bytes are gone. A second reader also
    // gets none where somebody listens for `readable`.
    const isShared = stream.listenerCount('readable') > 0 && !stream.readableEnded;
    const isTaken = read(stream, 'readableDidRead') || read(stream, 'readableEncoding') !== null || isShared;
    if (isTaken) throw new RawBodyUnavailableError(this.#fix);
    return readerOf(stream);
  }
}

/** Path and query: a sender may request a whole URL, as through a proxy, and choose its host. */
function pathOf(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined;
  return url.startsWith('/') ? url : `/${url.replace(/^[^/?#]*\/\/[^/?#]*\/?/, '')}`;
}

/** Works across realms, where instanceof does not. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value);
}

function readerOf(stream: Readable): BodyReader {
  return readBody((add, finish) => {
    let isOver = false;
    const end = () => finish();
    const cut = (cause?: unknown) => {
      if (!isOver) finish(incomplete('the connection closed', cause));
    };
    const { on } = stream;
    // Stays: an error after the answer must not bring down the process.
    on.call(stream, 'error', cut);
    if (stream.readable) {
      on.call(stream, 'data', add);
      on.call(stream, 'end', end);
      on.call(stream, 'close', cut);
      // It may be paused.
      stream.resume();
    } else if (stream.readableEnded) end();
    else cut();
    return (hasFailed) => {
      isOver = true;
      // A stream that has ended only closes.
      if (!hasFailed) return;
      stream.off('data', add).off('end', end).off('close', cut);
      // `respond` decides about the bytes that still arrive.
      stream.pause();
    };
  });
}
