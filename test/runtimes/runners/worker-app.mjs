// A Worker as it is deployed: what arrives over HTTP goes to fetchHandler. Each handler waits for /release; /seen tells
// which have begun and which have ended. /measure notes how many ms its handler gets.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const seen = [];
let release = () => {};
const released = new Promise((resolve) => {
  release = resolve;
});
let receive;
let measure;

// Deliveries are signed for a fixed time.
const options = { secret: 'whsec-matrix', toleranceSeconds: false };

export default {
  async fetch(request, _env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === '/seen') return Response.json(seen);
    if (pathname === '/release') return new Response(release());
    if (pathname === '/measure') {
      measure ??= fetchHandler({
        ...options,
        handlerTimeoutMs: 120_000,
        onEvent: (_event, { deadline }) => void seen.push(deadline - Date.now()),
      });
      return measure(request, context);
    }
    receive ??= fetchHandler({
      ...options,
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
