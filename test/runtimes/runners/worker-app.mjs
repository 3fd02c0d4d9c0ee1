// A Worker as it is deployed: what arrives over HTTP goes to fetchHandler. Each handler waits for /release; /seen tells
// which have begun and which have ended.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const seen = [];
let release = () => {};
const released = new Promise((resolve) => {
  release = resolve;
});
let receive;

export default {
  async fetch(request, _env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === '/seen') return Response.json(seen);
    if (pathname === '/release') return new Response(release());
    receive ??= fetchHandler({
      secret: 'whsec-matrix',
      toleranceSeconds: false, // the deliveries are signed for a fixed time
      maxInFlight: 2,
      handlerTimeoutMs: 2000,
      async onEvent({ id }) {
        seen.push(`begun ${id}`);
        await released;
        seen.push(`ended ${id}`);
      },
    });
    return receive(request, context);
  },
};
