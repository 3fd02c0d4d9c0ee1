// One server of one kind in a process of its own, so that what it uses is its own: argv[2] says which.
import { createServer } from 'node:http';
import { expressHandler } from 'event-webhook-receiver/express';
import { nodeHandler } from 'event-webhook-receiver/node';
import express from 'express';
import { SECRET } from '../lib/fixtures.mjs';
import { receiveByHand } from './by-hand.mjs';

let handled = 0;
const receiverOptions = {
  secret: SECRET,
  onEvent: () => {
    handled++;
  },
};

function expressApp(...handlers) {
  const app = express();
  app.post('/webhooks', ...handlers);
  return app;
}

/** What a peer's documentation has one write: `verify` throws when the signature is wrong. */
function expressPeer(verify) {
  return expressApp(express.raw({ type: 'application/json' }), (request, response) => {
    verify(request);
    handled++;
    response.status(200).end();
  });
}

/** Keeps a request's chunks and does nothing with them: the least that holding a body in memory takes. */
function keepChunks(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    handled += Math.sign(chunks.length);
    response.end();
  });
}

const KINDS = {
  'express ours': () => expressApp(expressHandler(receiverOptions)),
  'express hand': () => expressApp(receiveByHand(receiverOptions)),
  'express raw': () => expressPeer(() => {}),
  'express stripe': async () => {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_bench');
    return expressPeer(({ body, headers }) => webhooks.constructEvent(body, headers['stripe-signature'], SECRET));
  },
  'express svix': async () => {
    const { Webhook } = await import('svix');
    const webhook = new Webhook(SECRET);
    return expressPeer(({ body, headers }) => webhook.verify(body, headers));
  },
  'node ours': () => nodeHandler(receiverOptions),
  'node hand': () => receiveByHand(receiverOptions),
  'node octokit': async () => {
    const { createNodeMiddleware, Webhooks } = await import('@octokit/webhooks');
    const webhooks = new Webhooks({ secret: SECRET });
    webhooks.on('push', receiverOptions.onEvent);
    return createNodeMiddleware(webhooks, { path: '/webhooks' });
  },
  'node bare': () => keepChunks,
};

const server = createServer(await KINDS[process.argv[2]]());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

const sockets = new Set();
let receivedBefore = 0;
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.once('close', () => {
    receivedBefore += socket.bytesRead;
    sockets.delete(socket);
  });
});
const received = () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, receivedBefore);

const QUESTIONS = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return { microseconds: user + system, handled };
  },
  idle: () => {
    globalThis.gc();
    return { bytes: process.memoryUsage.rss(), received: received() };
  },
  peak: () => ({ bytes: process.resourceUsage().maxRSS * 1024, received: received() }),
};
process.on('message', (question) => process.send(QUESTIONS[question]()));
process.on('disconnect', () => process.exit());
