// A controller runs behind guards and interceptors, and after Nest's parser. `rawBody: true` keeps the bytes in
// `request.rawBody`, which the handler takes. The parser refuses more than 100 kB unless you set a limit, and injecting the
// response keeps Nest from answering 201.
import { All, Controller, Inject, Module, Next, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type ExpressHandler, expressHandler } from 'event-webhook-receiver/express';
import { AppModule } from './app.module.js';
import { Webhooks, WebhooksModule } from './webhooks.module.js';

type Arguments = Parameters<ExpressHandler>;

@Controller('webhooks')
class WebhooksController {
  private readonly receive: ExpressHandler;

  constructor(@Inject(Webhooks) webhooks: Webhooks) {
    this.receive = expressHandler(webhooks.receiver);
  }

  @All()
  handle(@Req() request: Arguments[0], @Res() response: Arguments[1], @Next() next: Arguments[2]): Promise<void> {
    return this.receive(request, response, next);
  }
}

@Module({ imports: [AppModule, WebhooksModule], controllers: [WebhooksController] })
class MainModule {}

async function bootstrap() {
  const app = await NestFactory.create<NestExpressApplication>(MainModule, { rawBody: true });
  app.useBodyParser('json', { limit: '10mb' });
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
