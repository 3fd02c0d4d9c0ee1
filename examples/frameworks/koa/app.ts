// A body parser of Koa (koa-body, @koa/bodyparser) uses up the stream: mount the webhook route before it.
// `ctx.respond = false` tells Koa that the handler answers, on Node's own request and response.
import Router from '@koa/router';
import type { Receiver, ReceiverOptions } from 'event-webhook-receiver';
import { nodeHandler } from 'event-webhook-receiver/node';
import Koa from 'koa';

export function createApp(webhooks: Receiver | ReceiverOptions): Koa {
  const receive = nodeHandler(webhooks);
  const router = new Router();
  router.all('/webhooks', (ctx) => {
    ctx.respond = false;
    return receive(ctx.req, ctx.res);
  });

  const app = new Koa();
  app.use(router.routes());
  // app.use(bodyParser()) and the routes that need it come after this.
  return app;
}
