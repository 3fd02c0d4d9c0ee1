import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Consumer, compilers, createConsumer, resolutions, subpaths, typeCheck } from '../package/consumer.js';
import { needs, onDemandModules } from './bundling.js';

/** The subpaths whose declarations name what only Node's types have. All others do without. */
const NEED_NODE = ['/express', '/fastify', '/node'];

/** The libs of projects without Node, the least that each of them can have. */
const LIBS = ['es2023 dom', 'es2022 webworker'];

const IMPORTS = `
import { createReceiver } from 'event-webhook-receiver';
import { fetchHandler, verifyRequest } from 'event-webhook-receiver/fetch';
import { fromD1, sqlStore } from 'event-webhook-receiver/stores/sql';
import { createTestDelivery } from 'event-webhook-receiver/testing';
import { verifySignature } from 'event-webhook-receiver/verify';

const options = { secret: 'secret', onEvent() {} };
export const request: Request = createTestDelivery([], options).request();
export async function verified(request: Request) {
  const { delivery } = await verifyRequest(request, { secret: 'secret' });
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

let consumer: Consumer;
const files: string[] = [];

beforeAll(async () => {
  consumer = await createConsumer();
  for (const subpath of (await subpaths()).filter((each) => !NEED_NODE.includes(each))) {
    const file = `neutral${subpath.replaceAll('/', '-')}.ts`;
    await consumer.write(file, `export * as everything from 'event-webhook-receiver${subpath}';`);
    files.push(file);
  }
  await consumer.write('needs-node.ts', NEED_NODE.map((each) => `import 'event-webhook-receiver${each}';`).join('\n'));
  for (const [name, { code }] of Object.entries(RUNTIMES)) {
    await consumer.write(`${name}.ts`, IMPORTS + code);
    if (needs(name)) continue;
    const link = join(consumer.root, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(onDemandModules, name), link, 'dir');
  }
}, 60_000);

afterAll(() => consumer.remove());

describe.each(Object.keys(compilers) as (keyof typeof compilers)[])(
  'TypeScript %s',
  { timeout: 120_000 },
  (compiler) => {
    test.each(LIBS)('compiles every subpath for the web without a type of Node, with the libs %s', async (libs) => {
      const compilerOptions = { ...resolutions.bundler, lib: libs.split(' '), types: [], listFiles: true };
      const output = (await typeCheck(consumer, compiler, { files, compilerOptions })).split('\n');
      const read = (pattern: RegExp) => output.filter((line) => pattern.test(line));
      expect(read(/error TS/)).toEqual([]);
      expect(read(/event-webhook-receiver\/dist\/.+\.d\.ts$/).length).toBeGreaterThanOrEqual(files.length);
      expect(read(/@types\/node\//)).toEqual([]);
    });

    test('says that ./express and ./node need the types of Node, and finds nothing else missing', async () => {
      const compilerOptions = { ...resolutions.bundler, lib: ['es2023', 'dom'], types: [] };
      const output = await typeCheck(consumer, compiler, { files: ['needs-node.ts'], compilerOptions });
      const errors = output.split('\n').filter((line) => line.includes('error TS'));
      expect(errors.length).toBeGreaterThanOrEqual(NEED_NODE.length);
      expect(errors.filter((line) => !/Cannot find (?:module|name) 'node:(?:http2?|stream)'/.test(line))).toEqual([]);
    });

    for (const [name, { code: _, ...options }] of Object.entries(RUNTIMES)) {
      describe.skipIf(needs(name))(`with ${name}${needs(name)}`, () => {
        test('takes fetchHandler for a handler of the runtime', async () => {
          const compilerOptions = { ...resolutions.bundler, ...options };
          expect(await typeCheck(consumer, compiler, { files: [`${name}.ts`], compilerOptions })).toBe('');
        });
      });
    }
  },
);
