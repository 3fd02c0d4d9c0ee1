// An endpoint gets the web-standard Request with its body untouched. adapter-node refuses bodies over 512 kB unless it is
// started with BODY_SIZE_LIMIT=11M. `vite build` loads this file without your secrets, so `secret` is a function, called for
// each delivery.

import { fetchHandler } from 'event-webhook-receiver/fetch';
import { env } from '$env/dynamic/private';

const receive = fetchHandler({
  secret: () => env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

export const fallback = ({ request }: { request: Request }) => receive(request);
