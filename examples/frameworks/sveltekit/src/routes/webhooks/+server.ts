// An endpoint gets the web-standard Request with its body untouched. On adapter-node the host refuses bodies over 512 kB
// unless the environment says otherwise when it starts: BODY_SIZE_LIMIT=11M. `vite build` loads this file without your
// secrets, so the secret is given as a function, which is asked when a delivery comes.

import { fetchHandler } from 'event-webhook-receiver/fetch';
import { env } from '$env/dynamic/private';

const receive = fetchHandler({
  secret: () => env.WEBHOOK_SECRET ?? '',
  onEvent: (event) => console.log(`took effect: ${event.id}`),
});

export const fallback = ({ request }: { request: Request }) => receive(request);
