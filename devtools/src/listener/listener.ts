import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeliveryRequest, DeliveryResult } from 'event-webhook-receiver';
import { createReceiver, type Receiver } from 'event-webhook-receiver';
import type { HeaderNames } from 'event-webhook-receiver/verify';
import { signDelivery, verifySignature } from 'event-webhook-receiver/verify';
import { type NodeRequest, toDeliveryRequest } from '../../../src/adapters/node-http.js';
import { respond } from '../../../src/adapters/respond.js';
import { createArrivals } from '../../../src/receiver/arrivals.js';
import type { Feed, KeptDelivery } from '../page/feed.js';
import { headerOf } from '../page/findings.js';
import { PageError } from '../page/page-guard.js';
import type { Attempt, DeliveryRecord, HeaderLine } from '../page/record.js';
import { lastOf } from '../page/views.js';
import { createBrake } from './brake.js';
import { acceptConnections } from './connections.js';
import { type Forwarded, forward } from './forward.js';

export interface ListenerOptions {
  readonly feed: Feed;
  readonly secret: string;
  readonly headers: HeaderNames;
  readonly toleranceSeconds: number;
  /** (Default: a free one.) */
  readonly port?: number | undefined;
  /** (Default: 127.0.0.1.) */
  readonly host?: string | undefined;
  /** Where genuine deliveries are sent on to. */
  readonly target?: URL | undefined;
  /** How long the target may take to answer, in ms. */
  readonly forwardTimeoutMs: number;
  readonly maxBodyBytes?: number | undefined;
  /** Of the bodies that are arriving, all together; beyond it, the oldest are answered 503. (Default: 256 MiB.) */
  readonly maxArrivingBytes?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Told of every delivery once it has been answered, and of what it was sent with. */
  onDelivery?(record: DeliveryRecord, request: { method: string; path: string }): void;
  /** Told of a request that is no delivery, being no POST. */
  onOther?(request: { method: string; path: string; status: number }): void;
}

/** A receiver that listens, and puts whatever comes into a feed. */
export interface Listener {
  readonly url: string;
  /**
   * Sends a delivery to the target again: the same bytes, signed afresh, so that its time is now. Throws PageError for one
   * that is not genuine, which a signature of ours would make so.
   */
  resend(record: KeptDelivery): Promise<{ id: string }>;
  /** Takes no more, and resolves when what is under way has been answered. */
  close(): Promise<void>;
}

const FIX = 'Nothing else may read the request.';
const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_ARRIVING_BYTES = 256 * 1024 * 1024;
/** Deliveries that are sent on at once; more are answered 503. */
const MOST_FORWARDS = 100;
const RETRY_AFTER_SECONDS = 5;
const MOST_ARRIVING = 500;
/** Connections that the system keeps for this process: beyond it, it has senders wait a second before they try again. */
const BACKLOG = 4096;
/** How long senders and the target may take to finish when the listener is closed. */
const CLOSE_MS = 300;

/** Listens for deliveries, verifies them with a receiver as any app has it, and answers as that or the target says. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { feed, secret, target, headers: names, now = Date.now, maxBodyBytes = MAX_BODY_BYTES } = options;
  const { toleranceSeconds, forwardTimeoutMs, maxArrivingBytes = MAX_ARRIVING_BYTES } = options;
  const receiver: Receiver = createReceiver({
    secret,
    headers: names,
    toleranceSeconds,
    maxBodyBytes,
    now,
    onEvent: () => {},
    // A target that is sent everything decides for itself what it has seen, and what it can read.
    ...(target && { store: false, onInvalid: () => {} }),
  });
  const ended = new AbortController();
  // One for each that is sent on: Node warns of more than ten.
  setMaxListeners(MOST_FORWARDS, ended.signal);
  let lastId = 0;
  const arrivals = createArrivals({ maxArriving: MOST_ARRIVING, maxArrivingBytes });
  const brake = createBrake();
  let forwarding = 0;

  /** The delivery with its body, which is read even where headers already refuse it, so that it can be shown. */
  async function readWithin(delivery: DeliveryRequest): Promise<{ delivery: DeliveryRequest; body?: Uint8Array }> {
    const read = delivery.method === 'POST' && !isTooLarge(delivery) && delivery.rawBody();
    if (typeof read !== 'function') return { delivery };
    try {
      const body = await arrivals.run((arrival) => read({ maxBodyBytes, timeoutMs: 30_000, arrival }));
      return { delivery: withBody(delivery, () => body), body };
    } catch (error) {
      // It comes when the receiver asks for the body.
      return { delivery: withBody(delivery, () => () => Promise.reject(error)) };
    }
  }

  const isTooLarge = (delivery: DeliveryRequest) => Number(delivery.header('content-length')) > maxBodyBytes;

  async function handOn(headers: readonly HeaderLine[], body: Uint8Array): Promise<Forwarded> {
    if (forwarding >= MOST_FORWARDS) {
      return { code: 'ERR_WEBHOOK_OVERLOADED', reason: 'Too many deliveries are being sent on.', durationMs: 0 };
    }
    forwarding++;
    try {
      const to = { target: target as URL, timeoutMs: forwardTimeoutMs, signal: ended.signal };
      return await forward({ ...to, headers, body });
    } finally {
      forwarding--;
    }
  }

  async function take(request: NodeRequest, response: ServerResponse): Promise<void> {
    const [at, start] = [now(), performance.now()];
    const about = { method: request.method ?? '', path: pathOf(request.url ?? '/') };
    const { delivery, body } = await readWithin(toDeliveryRequest(request, FIX));
    const result = await receiver.handleRequest(delivery);
    const verified = isVerified(result);
    if (request.method !== 'POST') {
      respond(request, response, result);
      options.onOther?.({ ...about, status: result.status });
      return;
    }
    const headers = linesOf(request);
    const record = {
      id: String(++lastId),
      target: about.path,
      rawBody: body ?? new Uint8Array(0),
      ...(body === undefined && { bodyDropped: true }),
      verified,
    };
    const put = (attempt: Attempt): DeliveryRecord => {
      const whole = { ...record, attempts: [attempt] };
      feed.put(whole);
      return whole;
    };
    let answer: Partial<Attempt> = {
      status: result.status,
      reason: result.error?.message,
      code: result.error?.code,
    };
    let forwarded: Forwarded | undefined;
    if (target && result.status === 200 && body) {
      put({ at, headers });
      forwarded = await handOn(headers, body);
      answer = answerOf(forwarded);
    }
    // Before the answer: who has that finds the delivery on the page.
    const whole = put({ at, headers, ...answer, durationMs: Math.round(performance.now() - start) });
    if (!verified) await brake();
    if (forwarded) answerForwarded(response, forwarded);
    // The connection of a stranger is closed, so that it queues with all others for the next one.
    else respond(request, response, verified ? result : { ...result, closeConnection: true });
    options.onDelivery?.(whole, about);
  }

  const http = createServer((request, response) => {
    take(request, response).catch(() => {
      // Nothing of this is to fail; if it does, the sender is to send again.
      if (!response.headersSent) response.statusCode = 500;
      response.end();
    });
  });
  const { server, closeIdle, closeAll } = acceptConnections(http, MOST_ARRIVING);
  await new Promise<void>((resolve, reject) => {
    const at = { port: options.port ?? 0, host: options.host ?? '127.0.0.1', backlog: BACKLOG };
    server.once('error', reject).listen(at, resolve);
  });
  const { address, port } = server.address() as AddressInfo;

  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    async resend(record) {
      if (record.bodyDropped) throw new PageError(409, 'The bytes of this delivery were dropped: it is too long ago.');
      const last = lastOf(record);
      const value = (name: string) => headerOf(last.headers, name) ?? '';
      if (!verifySignature(record.rawBody, value(names.signature), value(names.timestamp), secret)) {
        throw new PageError(409, 'This delivery is not genuine, so it is not signed and sent on.');
      }
      const at = now();
      const signed = signDelivery(record.rawBody, { secret, timestamp: Math.floor(at / 1000), headers: names });
      const headers = last.headers.map(([name, each]): HeaderLine => {
        const lower = name.toLowerCase();
        if (lower === names.signature.toLowerCase()) return [name, signed.signature];
        return [name, lower === names.timestamp.toLowerCase() ? signed.timestamp : each];
      });
      const pending: Attempt = { at, headers };
      feed.put({ ...record, attempts: [...record.attempts, pending] });
      const forwarded = await handOn(headers, record.rawBody);
      const { durationMs } = forwarded;
      const done = { at, headers, ...answerOf(forwarded), durationMs };
      // As it is by now: others may have sent it again meanwhile.
      const current = feed.get(record.id);
      const attempts = current?.attempts.map((attempt) => (attempt === pending ? done : attempt));
      if (current && attempts) feed.put({ ...current, attempts });
      return { id: record.id };
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      closeIdle();
      // Who is slow, to send or to answer, is waited for no longer than somebody who pressed Ctrl+C waits.
      const late = setTimeout(() => {
        ended.abort();
        closeAll();
      }, CLOSE_MS);
      await receiver.drain({ timeoutMs: CLOSE_MS });
      await closed;
      clearTimeout(late);
    },
  };
}

function withBody(delivery: DeliveryRequest, rawBody: DeliveryRequest['rawBody']): DeliveryRequest {
  return { method: delivery.method, url: delivery.url, header: (name) => delivery.header(name), rawBody };
}

/** Whether the receiver verified a delivery, whatever it answered then and whatever a target answers. */
function isVerified({ status, error, outcomes }: DeliveryResult): boolean {
  // The body is parsed once it is verified.
  return status === 200 || outcomes.length > 0 || error?.code === 'ERR_WEBHOOK_INVALID_BODY';
}

/** Path and query: a proxy may be asked for a whole URL, whose host is of the sender's choice. */
function pathOf(url: string): string {
  return url.startsWith('/') ? url : `/${url.replace(/^[^/]*\/\/[^/?#]*\/?/, '')}`;
}

function linesOf({ rawHeaders }: IncomingMessage): HeaderLine[] {
  const lines: HeaderLine[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) lines.push(rawHeaders.slice(at, at + 2) as [string, string]);
  return lines;
}

/** What the sender is told: the target's answer, and without one that it is to send again. */
function answerOf({ status, reason, code }: Forwarded): Partial<Attempt> {
  if (status === undefined) return { status: 503, reason, code };
  return { status, reason: status >= 200 && status < 300 ? undefined : `The target answered ${status}.` };
}

function answerForwarded(response: ServerResponse, { status, retryAfter }: Forwarded): void {
  const retry = retryAfter ?? (status === undefined ? String(RETRY_AFTER_SECONDS) : undefined);
  if (retry !== undefined) response.setHeader('Retry-After', retry);
  response.statusCode = status ?? 503;
  response.end();
}
