import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolutions, typeCheck, useConsumer } from '../package/consumer.js';
import { needs, onDemandModules } from './bundling.js';

const IMPORTS = `
import { createReceiver } from 'event-webhook-receiver';
import { fetchHandler, fetchVerifier } from 'event-webhook-receiver/fetch';
import { fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';
import { createTestDelivery } from 'event-webhook-receiver/testing';
import { verifySignature } from 'event-webhook-receiver/verify';

const options = { secret: 'secret', onEvent() {} };
export const request: Request = createTestDelivery([], options).request();
export async function verified(request: Request) {
  const { delivery } = await fetchVerifier({ secret: 'secret' })(request);
  return verifySignature(new Uint8Array(2), '', '', 'secret') ? delivery?.items : [];
}
`;

/** What each runtime wants a handler for, by the package that has its types. */
const RUNTIMES = {
  '@cloudflare/workers-types': {
    types: ['@cloudflare/workers-types'],
    lib: ['es2023'],
    code: `
      interface Env { readonly WEBHOOK_SECRET: string }
      export const direct = { fetch: fetchHandler(options) } satisfies ExportedHandler<Env>;
      export default {
        fetch(request, env, context) {
          const receiver = createReceiver({ secret: env.WEBHOOK_SECRET, onEvent() {} });
          context.waitUntil(receiver.drain());
          return fetchHandler(receiver)(request, context);
        },
      } satisfies ExportedHandler<Env>;
      export const storeOf = (database: D1Database) => sqlStore({ db: fromD1(database) });
      // @ts-expect-error A session may read from a replica.
      export const ofSession = (database: D1Database) => fromD1(database.withSession());
      // @ts-expect-error A handler gives a response: were the types of the runtime missing, this would compile.
      export const nothing = { fetch() {} } satisfies ExportedHandler<Env>;`,
  },
  '@types/bun': {
    types: ['bun'],
    lib: ['esnext'],
    // Its declarations want those of a newer Node.
    skipLibCheck: true,
    code: `
      const handler = fetchHandler(options);
      Bun.serve({ fetch: handler });
      Bun.serve({ routes: { '/webhooks': { POST: handler } } });
      createReceiver(options);
      // @ts-expect-error As above.
      Bun.serve({ fetch() { return 1; } });`,
  },
  '@types/deno': {
    types: ['deno'],
    lib: ['esnext', 'dom'],
    code: `
      const handler = fetchHandler(options);
      Deno.serve(handler);
      Deno.serve({ port: 0 }, handler);
      export default { fetch: handler } satisfies Deno.ServeDefaultExport;
      createReceiver(options);
      // @ts-expect-error As above.
      Deno.serve(() => 1);`,
  },
};

const consumer = useConsumer(async (consumer) => {
  for (const [name, { code }] of Object.entries(RUNTIMES)) {
    await consumer.write(`${name}.ts`, IMPORTS + code);
    if (needs(name)) continue;
    const link = join(consumer.root, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(onDemandModules, name), link, 'dir');
  }
});

for (const [name, { code: _, ...options }] of Object.entries(RUNTIMES)) {
  describe.skipIf(needs(name))(`the types of ${name}${needs(name)}`, () => {
    test('take fetchHandler for a handler of the runtime', { timeout: 120_000 }, async () => {
      const compilerOptions = { ...resolutions.bundler, ...options };
      expect(await typeCheck(consumer, '7.0', { files: [`${name}.ts`], compilerOptions })).toBe('');
    });
  });
}
