import type { DeliveryResult, Receiver } from '../../../src/index.js';
import type { SignedRequest } from '../../../src/receive/request.js';
import type { Settings } from '../../helpers.js';
import { equal, ok } from '../../matrix/cases/check.js';
import {
  bytesOf,
  type Delivery,
  type HeaderList,
  headersOf,
  SECRET,
  type SignSettings,
  TIMESTAMP,
} from '../../matrix/cases/delivery.js';
import { HARMLESS_HEADERS, STATUSES } from '../../matrix/cases/effects.js';
import type { Served, Site } from '../../matrix/cases/site.js';
import { Log } from '../../matrix/cases/waiting.js';
import type { Library } from './library.js';

/** What a runtime can do or lacks. Says which cases are for it. */
export interface Traits {
  /** It has none of Node's globals. */
  readonly bare: boolean;
  /** Its runner can make bytes of another realm. */
  readonly realms: boolean;
  /** It has no node:crypto, so that WebCrypto hashes its large bodies. */
  readonly webCrypto: boolean;
  /** It has SharedArrayBuffer. */
  readonly sharedMemory: boolean;
}

/** What the runner gives beside the library. */
export interface Host {
  /** Rejections that nobody handled, as the runtime reports them. */
  readonly unhandled: readonly unknown[];
  /** A copy of bytes that another realm made. */
  readonly foreignBytes?: ((bytes: Uint8Array) => Uint8Array) | undefined;
}

export type Body = RequestInit['body'];

export interface RequestSettings {
  readonly headers?: HeaderList;
  readonly body?: Body;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export interface App extends Served {
  readonly handler: (request: Request) => Promise<Response>;
  post(delivery: Delivery, settings?: RequestSettings): Promise<Response>;
  handle(delivery: SignedRequest): Promise<DeliveryResult>;
}

/** HMAC-SHA256 by the runtime's own WebCrypto, so that signing and verifying cannot share a mistake. */
async function hmac(message: Uint8Array, secret: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, message));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Where one case runs: the library, a signer, and receivers that end with the case. */
export class Lab implements Site {
  readonly lib: Library;
  readonly host: Host;
  readonly #receivers: Receiver[] = [];

  constructor(lib: Library, host: Host) {
    this.lib = lib;
    this.host = host;
  }

  readonly sign = async (
    content: string | Uint8Array,
    { timestamp = TIMESTAMP, secret = SECRET }: SignSettings = {},
  ): Promise<Delivery> => {
    const body = bytesOf(content);
    return { body, timestamp, signature: await hmac(bytesOf(body, timestamp), secret) };
  };

  sample(id?: string) {
    return this.lib.testing.sampleEventEmitted(id === undefined ? {} : { id });
  }

  included() {
    return this.lib.testing.sampleTransactionIncluded();
  }

  /** A genuine delivery of these items; of one event with a new id when none is given. */
  genuine(...items: readonly unknown[]): Promise<Delivery> {
    return this.sign(JSON.stringify(items.length > 0 ? items : [this.sample()]));
  }

  request(delivery: Delivery, settings: RequestSettings = {}): Request {
    const { method = 'POST', signal } = settings;
    const headers = new Headers();
    for (const [name, value] of settings.headers ?? headersOf(delivery)) headers.append(name, value);
    const body = settings.body === undefined ? delivery.body : settings.body;
    const init = { method, headers, ...(body === null ? {} : { body, duplex: 'half' as const }) };
    return new Request('http://localhost/webhooks', signal === undefined ? init : { ...init, signal });
  }

  start(settings: Settings = {}): App {
    const seen = new Log<string>();
    const codes: string[] = [];
    const { onEvent, enqueue, ...rest } = settings;
    const receiver = this.lib.root.createReceiver({
      secret: SECRET,
      now: () => Number(TIMESTAMP) * 1000,
      ...rest,
      ...(enqueue
        ? { enqueue }
        : {
            onEvent: (event, context) => {
              seen.add(event.id);
              return onEvent?.(event, context);
            },
          }),
      onError: ({ code }) => void codes.push(code),
    });
    this.#receivers.push(receiver);
    const handler = this.lib.fetch.fetchHandler(receiver);
    return {
      receiver,
      handler,
      seen,
      codes,
      handle: (delivery) => receiver.handle(delivery),
      post: async (delivery, request) => expectAnswer(await handler(this.request(delivery, request))),
    };
  }

  /** Resolves when nothing is in flight any more, so that what leaks a place lets its case run out of time. */
  async end(): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.drain()));
  }
}

/** Checks what has to hold for every answer: a status of the table, no body, and no header that says more. */
async function expectAnswer(response: Response): Promise<Response> {
  ok(STATUSES.includes(response.status), `the status is ${response.status}`);
  equal(await response.clone().text(), '', 'the body of the answer');
  for (const name of response.headers.keys()) ok(HARMLESS_HEADERS.test(name), `the answer has a header ${name}`);
  return response;
}
