// For `deno serve --port 3000 serve.ts`, which starts the server.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const receive = fetchHandler({
  secret: Deno.env.get('WEBHOOK_SECRET') ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

const isWebhook = new URLPattern({ pathname: '/webhooks' });
export default {
  fetch: (request: Request) => (isWebhook.test(request.url) ? receive(request) : new Response(null, { status: 404 })),
};
