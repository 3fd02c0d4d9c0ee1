// A webhook handler as people write it, with one fault that `FAULT` names.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';

const { FAULT: fault = '', WEBHOOK_SECRET: secret } = process.env;

const seen = new Set();
let effects = 0;

const once = (request, name) => {
  const values = request.headersDistinct[name] ?? [];
  if (fault === 'first-header') return values[0] ?? '';
  return values.length === 1 ? values[0] : '';
};

function isAuthentic(raw, request) {
  if (fault === 'no-check') return true;
  const signature = once(request, 'x-service-signature');
  const timestamp = once(request, 'x-service-timestamp');
  if (!raw.length || !signature || !timestamp) return false;
  if (fault === 'number-timestamp' && Number.isNaN(Number.parseInt(timestamp, 10))) return false;
  if (fault !== 'number-timestamp' && !/^[1-9]\d{0,15}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number.parseInt(timestamp, 10)) > 300) return false;
  const signed = fault === 'latin1' ? raw.toString('latin1') : raw;
  const hmac = createHmac('sha256', secret).update(signed);
  const expected = (fault === 'unsigned-timestamp' ? hmac : hmac.update(timestamp)).digest();
  if (fault === 'short-signature')
    return timingSafeEqual(Buffer.from(signature), Buffer.from(expected.toString('hex')));
  if (fault !== 'trailing-text' && !/^[0-9a-f]{64}$/i.test(signature)) return false;
  const digest = Buffer.from(signature, 'hex');
  return digest.length === 32 && timingSafeEqual(digest, expected);
}

function keyOf({ id, data }) {
  const { event, transaction } = data;
  return fault === 'key-of-transaction' && event ? `${event.name}:${transaction.txHash}` : id;
}

function effect({ id, event }) {
  if (id === 'always-fails') throw new Error('the database is down');
  if (event === 'event.emitted') effects++;
}

async function handle(events) {
  for (const each of events) {
    if (!['event.emitted', 'transaction.included'].includes(each.event)) {
      if (fault === 'unknown-kinds') throw new Error(`unknown kind ${each.event}`);
      continue;
    }
    const key = keyOf(each);
    if (seen.has(key)) {
      // The rest of the delivery is taken for seen, too.
      if (fault === 'key-of-delivery') return;
      continue;
    }
    if (fault === 'look-first') await new Promise((resolve) => setTimeout(resolve, 20));
    if (fault === 'seen-first') seen.add(key);
    effect(each);
    seen.add(key);
  }
}

async function answer(raw, request) {
  if (!isAuthentic(raw, request)) return 403;
  let events;
  try {
    events = JSON.parse(raw.toString('utf8'));
  } catch {
    return 400;
  }
  if (fault === 'answer-first') {
    setTimeout(() => handle(events).catch(() => {}), 100);
    return 200;
  }
  await handle(events);
  return 200;
}

async function readAll(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const respond = (response, status, text = '') => response.writeHead(status).end(text);

/** With node:http alone. */
function plain(request, response) {
  if (request.url === '/effects') return respond(response, 200, String(effects));
  readAll(request)
    .then((raw) => answer(raw, request))
    .then(
      (status) => respond(response, status),
      () => respond(response, 500),
    );
}

/** With Express, which parses the body. */
function withExpress() {
  const app = express();
  app.get('/effects', (_, response) => void response.send(String(effects)));
  const parse =
    fault === 'serialized-again' ? express.json({ limit: '10mb' }) : express.raw({ type: '*/*' /* limit: 100 kB */ });
  app.post('/webhooks', parse, async (request, response) => {
    const raw = fault === 'serialized-again' ? Buffer.from(JSON.stringify(request.body ?? '')) : request.body;
    response.status(await answer(raw ?? Buffer.alloc(0), request)).end();
  });
  app.use((error, _request, response, _next) => void response.status(error.status ?? 500).end());
  return app;
}

const server = createServer(['serialized-again', 'small-bodies'].includes(fault) ? withExpress() : plain);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
