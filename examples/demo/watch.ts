// The page of `event-webhooks emulate`, over the service of the demo.
import { once } from 'node:events';
import { serviceHeaders } from 'event-webhook-receiver/verify';
import type { LocalDelivery, LocalService } from 'event-webhooks/local';
import { localActions, localSecrets, recordOf } from '../../devtools/src/cli/local-source.js';
import { createFeed } from '../../devtools/src/deliveries/feed.js';
import { servePage } from '../../devtools/src/page/serve-page.js';
import type { DemoChain } from './chain.js';

const PAUSE_MS = 2000;

/** Keeps deliveries for the page from now on; `goOn` serves it, with a transfer every other second, until Ctrl+C. */
export function watch(chain: DemoChain) {
  const feed = createFeed();
  return {
    show: (delivery: LocalDelivery) => feed.put(recordOf(delivery, Date.now())),
    async goOn(service: LocalService): Promise<void> {
      const page = await servePage({
        feed,
        headers: serviceHeaders,
        ...localSecrets(service),
        actions: localActions(service, async () => ({ transaction: await chain.transfer() })),
        state: () => ({
          mode: 'emulate',
          webhooks: service.webhooks(),
          faults: service.faults,
          service: { url: service.url },
        }),
      });
      console.log(`page             ${page.address}\n                 a transfer every 2 s; Ctrl+C ends it`);
      const timer = setInterval(() => void chain.transfer().catch(console.error), PAUSE_MS);
      await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
      clearInterval(timer);
      await page.close();
    },
  };
}
