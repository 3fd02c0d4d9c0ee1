// Nest parses JSON before it calls a controller. `rawBody: true` keeps the bytes in `request.rawBody`, which the handler takes.
// Its parser refuses more than 100 kB unless you set a limit, and injecting the response keeps Nest from answering 201. Nest
// itself answers 400 to a body that is not JSON. middleware.ts mounts the receiver before Nest's parsers instead.
import { All, Controller, Inject, Next, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { type ExpressHandler, expressHandler } from 'event-webhook-receiver/express';

const RECEIVE = Symbol('receive');

@Controller('webhooks')
class WebhooksController {
  readonly #receive: ExpressHandler;

  constructor(@Inject(RECEIVE) receive: ExpressHandler) {
    this.#receive = receive;
  }

  @All()
  handle(
    @Req() request: Parameters<ExpressHandler>[0],
    @Res() response: Parameters<ExpressHandler>[1],
    @Next() next: Parameters<ExpressHandler>[2],
  ): Promise<void> {
    return this.#receive(request, response, next);
  }
}

class AppModule {}

export async function createApp(webhooks: Receiver | ReceiverOptions): Promise<NestExpressApplication> {
  const providers = [{ provide: RECEIVE, useValue: expressHandler(webhooks) }];
  const module = { module: AppModule, controllers: [WebhooksController], providers };
  const app = await NestFactory.create<NestExpressApplication>(module, { rawBody: true });
  app.useBodyParser('json', { limit: '10mb' });
  return app;
}
