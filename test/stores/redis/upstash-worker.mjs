// A Worker whose replicas share an Upstash database. It counts its effects there, under `effects:<id>`.
import { Redis } from '@upstash/redis/cloudflare';
import { fetchHandler } from 'event-webhook-receiver/fetch';
import { redisStore } from 'event-webhook-receiver/stores/redis';

let receive;

export default {
  fetch(request, env, context) {
    if (receive === undefined) {
      const { UPSTASH_URL: url, UPSTASH_TOKEN: token } = env;
      const client = new Redis({ url, token, signal: () => AbortSignal.timeout(3000) });
      receive = fetchHandler({
        secret: 'whsec-test',
        toleranceSeconds: false,
        store: redisStore({ client }),
        onEvent: ({ id }) => client.incr(`effects:${id}`),
      });
    }
    return receive(request, env, context);
  },
};
