// `app.use` before `listen` runs before Nest's own parsers, so the handler reads the untouched stream: no `rawBody`, no second
// limit, and every refusal is the receiver's. Guards and interceptors do not run for it.

import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { expressHandler } from 'event-webhook-receiver/express';

class AppModule {}

export async function createApp(webhooks: Receiver | ReceiverOptions): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>({ module: AppModule });
  app.use('/webhooks', expressHandler(webhooks));
  return app;
}
