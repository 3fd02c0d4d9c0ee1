// Deno.serve passes the web-standard Request untouched, and has no limit for bodies other than the receiver's.
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
