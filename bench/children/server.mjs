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

const expressApp = (handler) => express().post('/webhooks', handler);

const KINDS = {
  'express ours': () => expressApp(expressHandler(receiverOptions)),
  'express hand': () => expressApp(receiveByHand(receiverOptions)),
  'node ours': () => nodeHandler(receiverOptions),
  'node hand': () => receiveByHand(receiverOptions),
};

const server = createServer(await KINDS[process.argv[2]]());
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

const QUESTIONS = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return { microseconds: user + system, handled };
  },
  idle: () => {
    globalThis.gc();
    return { bytes: process.memoryUsage.rss() };
  },
  peak: () => ({ bytes: process.resourceUsage().maxRSS * 1024 }),
};
process.on('message', (question) => process.send(QUESTIONS[question]()));
process.on('disconnect', () => process.exit());
