// The plugin is encapsulated: it reads the untouched stream, and leaves Nest's parsers to the other routes.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastifyPlugin } from 'event-webhook-receiver/fastify';
import { AppModule } from './app.module.js';
import { Webhooks } from './webhooks.module.js';

async function bootstrap() {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter());
  await app.register(fastifyPlugin(app.get(Webhooks).receiver), { prefix: '/webhooks' });
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000, '0.0.0.0');
}
void bootstrap();
