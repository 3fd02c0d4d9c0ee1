import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

const MOST_BYTES = 10 * 1024 * 1024;
const TOLERANCE_SECONDS = 300;
const RETENTION_MS = 7 * 24 * 3600 * 1000;
const TIMESTAMP = /^\d{1,16}$/;

/**
 * A listener for node:http, or a handler for Express, as somebody who knows the platform writes it for this one service:
 * it verifies the bytes before it parses them, and calls `onEvent` once per event in this process.
 */
export function receiveByHand({ secret, onEvent }) {
  const key = createSecretKey(secret, 'utf8');
  const running = new Set();
  /** When each event that took effect may be forgotten, the oldest first. */
  const done = new Map();

  function isAuthentic(body, { 'x-service-signature': signature, 'x-service-timestamp': timestamp }) {
    if (signature === undefined || timestamp === undefined || !TIMESTAMP.test(timestamp)) return false;
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
    const expected = createHmac('sha256', key).update(body).update(timestamp).digest();
    const given = Buffer.from(signature, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** Returns the status that the event causes. */
  async function take(event) {
    const { id } = event;
    const now = Date.now();
    if (done.get(id) > now) return 200;
    if (running.has(id)) return 503;
    running.add(id);
    try {
      await onEvent(event);
      for (const [oldest, until] of done) {
        if (until > now) break;
        done.delete(oldest);
      }
      done.set(id, now + RETENTION_MS);
      return 200;
    } catch {
      return 500;
    } finally {
      running.delete(id);
    }
  }

  async function statusOf(body, headers) {
    if (!isAuthentic(body, headers)) return 403;
    let events;
    try {
      events = JSON.parse(body.toString());
    } catch {
      return 400;
    }
    if (!Array.isArray(events)) return 400;
    let status = 200;
    for (const event of events) status = Math.max(status, await take(event));
    return status;
  }

  return (request, response) => {
    const end = (status) => {
      response.statusCode = status;
      response.end();
    };
    if (request.method !== 'POST') return end(405);
    const chunks = [];
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.length;
      if (size <= MOST_BYTES) chunks.push(chunk);
      else if (!response.headersSent) {
        response.setHeader('Connection', 'close');
        end(413);
      }
    });
    request.on('end', () => {
      if (size > MOST_BYTES) return;
      const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      statusOf(body, request.headers).then(end, () => end(500));
    });
    request.on('error', () => response.destroy());
  };
}
