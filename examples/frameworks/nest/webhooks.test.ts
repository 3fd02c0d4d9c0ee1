// For Vitest, or without its import for Jest. DATABASE_URL is that of a Postgres for tests.
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { expressHandler } from 'event-webhook-receiver/express';
import { createTestDelivery, sampleEventEmitted } from 'event-webhook-receiver/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppModule } from './app.module.js';
import { Transfer, Webhooks } from './webhooks.module.js';

const secret = 'whsec-test';
let app: NestExpressApplication;
let url: string;

beforeAll(async () => {
  process.env.WEBHOOK_SECRET = secret;
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = module.createNestApplication<NestExpressApplication>();
  app.use('/webhooks', expressHandler(app.get(Webhooks).receiver));
  await app.listen(0);
  url = `${await app.getUrl()}/webhooks`;
});

afterAll(() => app.close());

const transfersOf = (eventId: string) => app.get(DataSource).getRepository(Transfer).countBy({ eventId });

test('writes the transfer of a repeated delivery once', async () => {
  const event = sampleEventEmitted();
  const delivery = createTestDelivery([event], { secret });
  expect((await delivery.send(url)).status).toBe(200);
  expect((await delivery.send(url)).status).toBe(200);
  expect(await transfersOf(event.id)).toBe(1);
});

test('writes nothing for a forged delivery', async () => {
  const event = sampleEventEmitted();
  expect((await createTestDelivery([event], { secret: 'guessed' }).send(url)).status).toBe(403);
  expect(await transfersOf(event.id)).toBe(0);
});
