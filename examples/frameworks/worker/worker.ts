// A Worker gets the web-standard Request untouched. Its secret is a binding, which comes with the request: the receiver is
// made with the first one, and kept, because its memory of what took effect is its own. That memory is one isolate's, and
// Cloudflare runs many and drops them at will: where twice would matter, give it a `store` that all of them share.
// `context` keeps a delivery going when its sender goes away, for the 30 s that Cloudflare allows: without it, it would hang.
import { fetchHandler } from 'event-webhook-receiver/fetch';

interface Env {
  readonly WEBHOOK_SECRET: string;
}

interface Context {
  waitUntil(promise: Promise<unknown>): void;
}

let receive: ReturnType<typeof fetchHandler> | undefined;

export default {
  fetch(request: Request, env: Env, context: Context): Promise<Response> {
    receive ??= fetchHandler({
      secret: env.WEBHOOK_SECRET,
      onEvent: (event) => console.log(`took effect: ${event.id}`),
    });
    return receive(request, context);
  },
};
