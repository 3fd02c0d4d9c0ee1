// The process that measure-replica.ts measures.
import express from 'express';
import { expressHandler } from '../../../src/adapters/express.js';
import { memoryStore } from '../../../src/stores/memory.js';

const app = express();
app.post(
  '/webhooks',
  expressHandler({ secret: process.argv[2] ?? '', store: memoryStore({ maxKeys: 10_000 }), onEvents: () => {} }),
);
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as { port: number }).port);
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
