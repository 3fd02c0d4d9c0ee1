import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReceiver, type DeliveryRequest, type DeliveryResult } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import type { Attempt, DeliveryRecord, HeaderLine } from '../deliveries/delivery-record.js';
import type { Feed } from '../deliveries/feed.js';
import { createBrake } from './brake.js';
import { acceptConnections } from './connections.js';
import { answerOf, type Forwarded, forward } from './forward.js';
import { createBodyReader } from './read-body.js';
import { createSigning, replaceAttempt, type Signing } from './signing.js';

/** A request that is not a delivery, and the status of its answer. */
export interface OtherRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface ListenerOptions {
  readonly feed: Feed;
  readonly secret: string;
  readonly headers: HeaderNames;
  /** (Default: a free port.) */
  readonly port?: number | undefined;
  /** Where authentic deliveries are forwarded to. Without a path, they keep theirs. */
  readonly target?: URL | undefined;
  /** Time limit of the target's answer, in milliseconds. */
  readonly forwardTimeoutMs: number;
  /** The status that authentic deliveries are answered with, instead of being forwarded. (Default: none.) */
  readonly respond?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  /** Limit of all bodies that are arriving; above it, the oldest are answered 503. (Default: 256 MiB.) */
  readonly maxArrivingBytes?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Deliveries are numbered from the next number on. (Default: 0.) */
  readonly lastNumber?: number | undefined;
  /** Called with every delivery after it was answered. */
  onDelivery?(record: DeliveryRecord, request: { method: string; path: string }): void;
  /** Called with every request that is not a POST. */
  onOther?(request: OtherRequest): void;
}

/** A receiver that listens, and puts every delivery into a feed. Signs and sends deliveries to its target, if it has one. */
export interface Listener extends Signing {
  readonly url: string;
  /** The forced answer to authentic deliveries; undefined if there is none. */
  respond: number | undefined;
  /** Stops listening, and resolves when the deliveries in progress have been answered. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_ARRIVING_BYTES = 256 * 1024 * 1024;
/** Deliveries that are forwarded at once; more are answered 503. */
const MOST_FORWARDS = 100;
const RETRY_AFTER_SECONDS = 5;
const MAX_ARRIVING = 500;
/** Connections that the system queues; beyond that, senders wait a second before they try again. */
const BACKLOG = 4096;
/** How long senders and the target have to finish when the listener is closed. */
const CLOSE_MS = 300;

/** Listens for deliveries, verifies them with a receiver, and answers what the receiver or the target answers. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { feed, secret, target, headers: names, now = Date.now, maxBodyBytes = MAX_BODY_BYTES } = options;
  const { forwardTimeoutMs, maxArrivingBytes = MAX_ARRIVING_BYTES } = options;
  const receiver = createReceiver({
    secret,
    headers: names,
    maxBodyBytes,
    now,
    // Deliveries are reported in the feed.
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    onEvent: () => {},
    // A target handles duplicates and invalid events.
    ...(target && { store: false, onInvalid: () => {} }),
  });
  const ended = new AbortController();
  // One listener for each forwarded delivery: Node warns above ten.
  setMaxListeners(MOST_FORWARDS, ended.signal);
  let lastId = options.lastNumber ?? 0;
  const readBody = createBodyReader({ maxBodyBytes, maxArriving: MAX_ARRIVING, maxArrivingBytes });
  const brake = createBrake();
  let forwarding = 0;
  let forced = options.respond;
  const reporting = new Set<Promise<void>>();

  async function handOn(path: string, headers: readonly HeaderLine[], body: Uint8Array): Promise<Forwarded> {
    if (forwarding >= MOST_FORWARDS) {
      return { code: 'ERR_WEBHOOK_OVERLOADED', reason: 'Too many deliveries are being forwarded.', durationMs: 0 };
    }
    forwarding++;
    try {
      const to = { target: target as URL, timeoutMs: forwardTimeoutMs, signal: ended.signal };
      return await forward({ ...to, path, headers, body });
    } finally {
      forwarding--;
    }
  }

  /** Verifies a request, and forwards it if it is authentic. Resolves with the answer, and with what to report after it. */
  async function take(request: IncomingMessage, delivery: DeliveryRequest): Promise<Taken> {
    const [at, start] = [now(), performance.now()];
    const about = { method: request.method as string, path: pathOf(request.url as string) };
    const read = await readBody(delivery);
    const body = 'body' in read ? read.body : undefined;
    const result = 'body' in read ? await receiver.handleRequest(withBody(delivery, read.body)) : read.refused;
    const verified = 'body' in read && isVerified(result);
    if (about.method !== 'POST') {
      return { result, report: async () => options.onOther?.({ ...about, status: result.status }) };
    }
    const headers = linesOf(request);
    const record = {
      id: String(++lastId),
      target: about.path,
      rawBody: body ?? new Uint8Array(0),
      ...(body === undefined && { bodyDropped: true }),
      verified,
    };
    const put = (attempt: Attempt) => feed.put({ ...record, attempts: [attempt] });
    let answer: Partial<Attempt> = {
      status: result.status,
      reason: result.error?.message,
      code: result.error?.code,
    };
    let forwarded: Forwarded | undefined;
    if (forced !== undefined && verified) {
      forwarded = forcedAnswer(forced);
      answer = { status: forced, reason: forwarded.reason, code: forwarded.code };
    } else if (target && result.status === 200 && body) {
      put({ at, headers });
      forwarded = await handOn(about.path, headers, body);
      answer = answerOf(forwarded);
    }
    // Before the answer, so that a sender who has the answer finds the delivery on the page.
    const attempt = { at, headers, ...answer, durationMs: Math.round(performance.now() - start) };
    put(attempt);
    if (!verified) await brake();
    return {
      // Close the connection of an unverified sender, so that its next one queues like the others.
      result: verified ? result : { ...result, closeConnection: true },
      forwarded,
      async report() {
        const response = await forwarded?.response;
        const whole: Attempt = { ...attempt, ...(response && { response }) };
        if (response) replaceAttempt(feed, record.id, attempt, whole);
        options.onDelivery?.({ ...record, attempts: [whole] }, about);
      },
    };
  }

  const http = createServer(async (request, response) => {
    let taken: Taken | undefined;
    const answer = nodeHandler({
      ...receiver,
      async handleRequest(delivery) {
        try {
          taken = await take(request, delivery);
        } catch {
          return { status: 500, outcomes: [] };
        }
        if (taken.forwarded) answerForwarded(response, taken.forwarded);
        return taken.result;
      },
    });
    await answer(request, response);
    if (taken === undefined) return;
    await report(taken.report());
  });

  /** Waits for a report. If it fails, the listener must keep running; the delivery is in the feed. */
  async function report(work: Promise<void>): Promise<void> {
    const reported = work.catch(() => {});
    reporting.add(reported);
    await reported;
    reporting.delete(reported);
  }

  const signing = createSigning({
    ...{ feed, secret, headers: names, now, handOn, nextId: () => String(++lastId) },
    onSent(delivery) {
      const told = (record: DeliveryRecord) => options.onDelivery?.(record, { method: 'POST', path: record.target });
      void report(delivery.then(told));
    },
  });
  const { server, closeIdle, closeAll } = acceptConnections(http, MAX_ARRIVING);
  await new Promise<void>((resolve, reject) => {
    const at = { port: options.port ?? 0, host: '127.0.0.1', backlog: BACKLOG };
    server.once('error', reject).listen(at, resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    ...signing,
    get respond() {
      return forced;
    },
    set respond(status) {
      forced = status;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeIdle();
      // A slow sender or target must not delay Ctrl+C.
      const late = setTimeout(() => {
        ended.abort();
        closeAll();
      }, CLOSE_MS);
      await receiver.drain({ timeoutMs: CLOSE_MS });
      await closed;
      await Promise.all(reporting);
      clearTimeout(late);
    },
  };
}

/** A request that was verified: the answer of the receiver or the target, and what to call after it was sent. */
interface Taken {
  readonly result: DeliveryResult;
  readonly forwarded?: Forwarded | undefined;
  report(): Promise<void>;
}

function withBody(delivery: DeliveryRequest, body: Uint8Array): DeliveryRequest {
  return {
    method: delivery.method,
    url: delivery.url,
    header: (name) => delivery.header(name),
    rawBody: () => body,
  };
}

/** Whether the receiver verified the delivery, whatever it answered. */
function isVerified({ status, error, outcomes }: DeliveryResult): boolean {
  // Parse the body and count its items only after verification.
  const ofContents = error?.code === 'ERR_WEBHOOK_INVALID_BODY' || error?.code === 'ERR_WEBHOOK_BODY_TOO_LARGE';
  return status === 200 || outcomes.length > 0 || ofContents;
}

/** Path and query. A request line may contain a whole URL, as for a proxy, with a host chosen by the sender. */
function pathOf(url: string): string {
  return url.startsWith('/') ? url : `/${url.replace(/^[^/]*\/\/[^/?#]*\/?/, '')}`;
}

function linesOf({ rawHeaders }: IncomingMessage): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) lines.push(rawHeaders.slice(at, at + 2) as [string, string]);
  return lines;
}

/** Statuses that need Retry-After. */
const RETRY_LATER = new Set([429, 503]);

function forcedAnswer(status: number): Forwarded {
  const retryAfter = RETRY_LATER.has(status) ? String(RETRY_AFTER_SECONDS) : undefined;
  return { status, retryAfter, reason: `The answer ${status} was forced.`, code: 'FORCED', durationMs: 0 };
}

function answerForwarded(response: ServerResponse, { status, retryAfter }: Forwarded): void {
  const retry = retryAfter ?? (status === undefined ? String(RETRY_AFTER_SECONDS) : undefined);
  if (retry !== undefined) response.setHeader('Retry-After', retry);
  response.statusCode = status ?? 503;
  response.end();
}
