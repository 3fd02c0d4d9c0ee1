// `app.use` before `listen` runs before Nest's own parsers, so the receiver reads the untouched stream.
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { expressHandler } from 'event-webhook-receiver/express';
import { AppModule } from './app.module.js';
import { Webhooks } from './webhooks.module.js';

async function bootstrap() {
  const app = await NestFactory.create<NestExpressApplication>(AppModule);
  app.use('/webhooks', expressHandler(app.get(Webhooks).receiver));
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
