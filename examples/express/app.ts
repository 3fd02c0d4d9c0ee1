import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { expressHandler } from 'event-webhook-receiver/express';
import express, { type Express } from 'express';

/** An Express application with one webhook route. The route stands before any body parser, so its bytes stay whole. */
export function createApp(receiver: Receiver | ReceiverOptions): Express {
  const app = express();
  app.post('/webhooks', expressHandler(receiver));
  app.use(express.json());
  app.get('/health', (_request, response) => {
    response.json({ ok: true });
  });
  return app;
}
