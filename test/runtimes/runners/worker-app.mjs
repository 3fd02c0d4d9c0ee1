// A Worker as it is deployed: what arrives over HTTP goes to fetchHandler. Each handler waits for /release; /seen tells
// which have begun and which have ended. /measure notes how many ms its handler gets. The handlers of /late outlive their
// answers; with `?alone`, Workers is not asked to wait for them. /pass lets 30 s pass on the clock.
import { fetchHandler } from 'event-webhook-receiver/fetch';

const seen = [];
let release = () => {};
const released = new Promise((resolve) => {
  release = resolve;
});
let receive;
let measure;
let late;

let passedMs = 0;
const realNow = Date.now;
Date.now = () => realNow() + passedMs;
function pass() {
  passedMs += 30_000;
}

// Deliveries are signed for a fixed time.
const options = { secret: 'whsec-matrix', toleranceSeconds: false };

export default {
  async fetch(request, _env, context) {
    const { pathname, search } = new URL(request.url);
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
    if (pathname === '/pass') return new Response(pass());
    if (pathname === '/late') {
      late ??= fetchHandler({
        ...options,
        store: false,
        maxInFlight: 1,
        handlerTimeoutMs: 100,
        async onEvent({ id }) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          seen.push(`late ${id}`);
        },
      });
      return late(request, search === '?alone' ? { waitUntil() {} } : context);
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
