import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useConsumer } from './consumer.js';

const run = promisify(execFile);
const consumer = useConsumer();

/** Runs a program in a process of its own, in the consumer's directory; gives the JSON that it prints. */
async function evaluate(extension: 'mjs' | 'cjs', name: string, program: string): Promise<unknown> {
  const file = await consumer.write(`${name}.${extension}`, program);
  return JSON.parse((await run(process.execPath, [file], { cwd: consumer.root })).stdout);
}

/** Makes each subpath throw an error of its own, and says what `WebhookError` and `isWebhookError` of the root make of it. */
const THROW_EVERYWHERE = `
const attempts = {
  root: () => root.createReceiver({}),
  verify: () => verify.signDelivery('', { secret: 's' }),
  express: () => express.expressHandler({}),
  fastify: () => fastify.fastifyPlugin({}),
  fetch: () => fetch.fetchHandler({}),
  lambda: () => lambda.lambdaHandler({}),
  node: () => node.nodeHandler({}),
  evm: () => evm.contractEvent({ abi: [], name: 'Transfer' }),
  client: () => client.createWebhookClient({ baseUrl: 'https://service.example', apiKey: '' }),
  testing: () => testing.createTestDelivery([], { secret: '' }),
};
const seen = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    attempt();
    seen[name] = 'did not throw';
  } catch (error) {
    seen[name] = [error instanceof own.WebhookError, error instanceof own.ConfigError, own.isWebhookError(error)];
  }
}
console.log(JSON.stringify(seen));
`;

const SUBPATHS = {
  ...{ root: '', verify: '/verify', express: '/express', fastify: '/fastify', fetch: '/fetch', lambda: '/lambda' },
  ...{ node: '/node', evm: '/evm', client: '/client', testing: '/testing' },
};
const load = (line: (name: string, specifier: string) => string) =>
  Object.entries(SUBPATHS)
    .map(([name, subpath]) => line(name, `event-webhook-receiver${subpath}`))
    .join('\n');
const imports = load((name, specifier) => `import * as ${name} from '${specifier}';`);
const requires = load((name, specifier) => `const ${name} = require('${specifier}');`);
const everywhere = (seen: boolean[]) => Object.fromEntries(Object.keys(SUBPATHS).map((name) => [name, seen]));
/** ./verify is one file, so that it loads fast, and has classes of its own. */
const onceButForVerify = { ...everywhere([true, true, true]), verify: [false, false, true] };

describe('one WebhookError in every subpath but ./verify', () => {
  test('when all are imported', { timeout: 20_000 }, async () => {
    const program = `${imports}\nconst own = root;\n${THROW_EVERYWHERE}`;
    expect(await evaluate('mjs', 'classes', program)).toEqual(onceButForVerify);
  });

  test('and where ESM and CommonJS meet, isWebhookError knows the errors of both', { timeout: 20_000 }, async () => {
    const program = `import { createRequire } from 'node:module'; import * as own from 'event-webhook-receiver';
      const require = createRequire(import.meta.url);\n${requires}\n${THROW_EVERYWHERE}`;
    expect(await evaluate('mjs', 'both', program)).toEqual(everywhere([false, false, true]));
  });
});
