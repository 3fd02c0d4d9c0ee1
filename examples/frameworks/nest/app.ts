// Nest parses JSON before it asks a controller. `rawBody: true` has it keep the bytes in `request.rawBody`, where the
// handler finds them. Two traps are left: the parser refuses whatever has more than 100 kB, unless it is told another limit,
// and Nest answers a POST with 201, unless the answer is taken over, which injecting the response does. A body that is
// no JSON gets 400 from Nest itself: middleware.ts has the other mount, where nothing of Nest comes first.
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
