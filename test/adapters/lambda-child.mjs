// A Lambda function of the built package, frozen by SIGSTOP after each answer: node lambda-child.mjs <url> <leaseMs>.
// A line of its input is an invocation, { event, grantedMs }; a line of its output is what it answered and reported since
// the last one. An id of an event says what its handler does: `late` takes longer than any test grants it.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { lambdaHandler } from 'event-webhook-receiver/lambda';
import { redisStore } from 'event-webhook-receiver/stores/redis';
import { Redis } from 'ioredis';

const [url, leaseMs] = process.argv.slice(2);
const client = new Redis(url, { socketTimeout: 60_000 });
const reported = [];

const handler = lambdaHandler({
  secret: 'whsec-test',
  toleranceSeconds: false,
  store: redisStore({ client, leaseMs: Number(leaseMs) }),
  async onEvent({ id }, { throwIfExpired }) {
    if (id.startsWith('late')) await sleep(2000);
    // A careless handler runs on after its time.
    if (!id.startsWith('late-careless')) throwIfExpired();
    await client.incr(`effects:${id}`);
  },
  onError: ({ code, message }) => reported.push(`${code}: ${message}`),
});

await client.ping();
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { event, grantedMs } = JSON.parse(line);
  const start = Date.now();
  const context = { getRemainingTimeInMillis: () => start + grantedMs - Date.now() };
  const { statusCode } = await handler(event, context);
  console.log(JSON.stringify({ statusCode, tookMs: Date.now() - start, reported: reported.splice(0) }));
  process.kill(process.pid, 'SIGSTOP');
}
