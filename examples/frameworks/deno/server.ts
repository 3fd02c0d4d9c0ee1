// Deno.serve hands on the web-standard Request untouched, and has no limit for its body but the receiver's own.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const receive = fetchHandler({
  secret: Deno.env.get('WEBHOOK_SECRET') ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

const isWebhook = new URLPattern({ pathname: '/webhooks' });
Deno.serve(
  { port: Number(Deno.env.get('PORT') ?? 3000), onListen: ({ port }) => console.log('listening on', port) },
  (request) => (isWebhook.test(request.url) ? receive(request) : new Response(null, { status: 404 })),
);
