// An edge function as it is deployed: what arrives over HTTP goes to fetchHandler, and /seen tells what was handled.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const seen = [];
const receive = fetchHandler({
  secret: 'whsec-matrix',
  toleranceSeconds: false, // the deliveries are signed for a fixed time
  maxBodyBytes: 100_000,
  onEvent: ({ id }) => seen.push(id),
});

addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  event.respondWith(pathname === '/webhooks' ? receive(event.request) : new Response(JSON.stringify(seen)));
});
